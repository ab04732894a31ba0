import type { Sealer } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';

/** Where clients that registered themselves are kept; what they registered is sealed, since it can hold a secret. */
export interface ClientStore {
  find(clientId: string): Promise<Record<string, unknown> | undefined>;
  save(clientId: string, metadata: Readonly<Record<string, unknown>>, now: Date): Promise<void>;
  /** Forgets clients that nobody has connected for a while. Answers how many. */
  sweep(now: Date): Promise<number>;
}

const hasAssistant = 'EXISTS (SELECT FROM assistant WHERE assistant.client_id = oauth_client.client_id)';
// To the day, so that a client is known for a while after its last assistant has ended.
const noteConnected = `
  UPDATE oauth_client SET connected_at = $1 WHERE connected_at < $2 AND ${hasAssistant}`;
const sweep = `
  DELETE FROM oauth_client WHERE NOT ${hasAssistant}
  AND (connected_at < $1 OR (connected_at IS NULL AND registered_at < $2))`;
const dayMs = 86_400_000;

export function createClientStore(pool: Pool, sealer: Sealer): ClientStore {
  return {
    async find(clientId) {
      const { rows } = await pool.query<{ sealed_metadata: string }>({
        name: 'find-oauth-client',
        text: 'SELECT sealed_metadata FROM oauth_client WHERE client_id = $1',
        values: [clientId],
      });
      return rows[0] && JSON.parse(await sealer.open(rows[0].sealed_metadata, clientId));
    },
    async save(clientId, metadata, now) {
      await pool.query(
        'INSERT INTO oauth_client (client_id, sealed_metadata, registered_at) VALUES ($1, $2, $3)',
        [clientId, await sealer.seal(JSON.stringify(metadata), clientId), now],
      );
    },
    async sweep(now) {
      const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
      await pool.query(noteConnected, [now, new Date(now.getTime() - dayMs)]);
      const before = [ago(lifetimes.formerClientSeconds), ago(lifetimes.unusedClientSeconds)];
      const { rowCount } = await pool.query(sweep, before);
      return rowCount ?? 0;
    },
  };
}
