import type { Sealer } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';

/** Where clients that registered themselves are kept; what they registered is sealed, since it can hold a secret. */
export interface ClientStore {
  find(clientId: string): Promise<Record<string, unknown> | undefined>;
  save(clientId: string, metadata: Readonly<Record<string, unknown>>, now: Date): Promise<void>;
  /** Records that a browser has opened the sign-in page of a client. */
  noteSignIn(clientId: string, now: Date): Promise<void>;
  /** Deletes clients that have not been connected for a while, and unused ones beyond the ceiling. */
  sweep(now: Date): Promise<void>;
}

/** Unused clients that were deleted, by reason: their age, or the ceiling. */
type Forgotten = Readonly<Record<'expired' | 'ceiling', number>>;

export interface ClientStoreOptions {
  /** Clients that were never connected, over all replicas: the table holds no more of them. */
  readonly unusedMax: number;
  /** Called after each count, with the unused clients that are left and those that were deleted. */
  readonly onUnusedCounted: (unused: number, forgotten: Forgotten) => void;
}

const hasAssistant = 'EXISTS (SELECT FROM assistant WHERE assistant.client_id = oauth_client.client_id)';
// To the day, so that a client is known for a while after its last assistant has ended.
const noteConnected = `
  UPDATE oauth_client SET connected_at = $1 WHERE connected_at < $2 AND ${hasAssistant}`;
const forgetFormer = `DELETE FROM oauth_client WHERE NOT ${hasAssistant} AND connected_at < $1`;

// The library saves a sign-in several times; one record a minute is enough.
const noteSignIn = `
  UPDATE oauth_client SET sign_in_opened_at = $2
  WHERE client_id = $1 AND connected_at IS NULL
    AND (sign_in_opened_at IS NULL OR sign_in_opened_at < $2::timestamptz - interval '1 minute')`;

/*
 * Half of the ceiling is for clients whose sign-in page was opened, half for clients that have only registered, and
 * each half may use what the other leaves free: the newest of both are kept in turn. So a flood of registrations
 * removes no client in the middle of a sign-in, and a flood that opens sign-in pages keeps no new client out. One
 * replica at a time does this, because two would lock the same rows in different orders; the other skips it.
 */
const forgetUnused = `
  WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(hashtextextended('mailproof unused clients', 0)) AS is_ours
  ), unused AS MATERIALIZED (
    SELECT client_id, coalesce(sign_in_opened_at, registered_at) < $1 AS is_expired, row_number() OVER (
      PARTITION BY sign_in_opened_at IS NULL ORDER BY coalesce(sign_in_opened_at, registered_at) DESC
    ) AS place
    FROM oauth_client WHERE connected_at IS NULL
  ), gone AS (
    DELETE FROM oauth_client USING (
      SELECT client_id, is_expired FROM unused ORDER BY is_expired, place OFFSET
        least($2::bigint, (SELECT count(*) FROM unused WHERE NOT is_expired)) LIMIT $3
    ) AS over
    WHERE oauth_client.client_id = over.client_id AND connected_at IS NULL AND (SELECT is_ours FROM turn)
    RETURNING is_expired
  )
  SELECT (SELECT count(*)::int FROM unused) AS unused,
    (SELECT count(*)::int FROM gone WHERE is_expired) AS expired,
    (SELECT count(*)::int FROM gone WHERE NOT is_expired) AS ceiling`;

/** Rows that one statement deletes at most, so that it ends within its timeout. */
const batchMax = 10_000;
const dayMs = 86_400_000;

/** Client ids as the library makes them. */
const clientIdForm = /^[\w-]{1,128}$/;

export function createClientStore(pool: Pool, sealer: Sealer, options: ClientStoreOptions): ClientStore {
  // Each replica counts after this number of registrations of its own, and makes room for those that five replicas can
  // add before their next count. A count takes about 25 ms with 10,000 unused clients, an insertion less than 1 ms.
  const countAfter = Math.ceil(options.unusedMax / 100);
  const kept = options.unusedMax - Math.floor(options.unusedMax / 20);
  let registeredSinceCount = countAfter;

  /** Deletes unused clients that are expired or too many. Returns whether more of them may be left. */
  async function forget(now: Date): Promise<boolean> {
    const expired = new Date(now.getTime() - lifetimes.unusedClientSeconds * 1_000);
    const { rows } = await pool.query<{ unused: number } & Forgotten>({
      name: 'forget-unused-clients',
      text: forgetUnused,
      values: [expired, kept, batchMax],
    });
    const found = rows[0] ?? { unused: 0, expired: 0, ceiling: 0 };
    const forgotten = found.expired + found.ceiling;
    options.onUnusedCounted(found.unused - forgotten, found);
    return forgotten === batchMax;
  }

  return {
    async find(clientId) {
      // Anybody can ask for any, also for what Postgres does not take as text.
      if (!clientIdForm.test(clientId)) {
        return undefined;
      }
      const { rows } = await pool.query<{ sealed_metadata: string }>({
        name: 'find-oauth-client',
        text: 'SELECT sealed_metadata FROM oauth_client WHERE client_id = $1',
        values: [clientId],
      });
      return rows[0] && JSON.parse(await sealer.open(rows[0].sealed_metadata, clientId));
    },
    async save(clientId, metadata, now) {
      registeredSinceCount += 1;
      if (registeredSinceCount > countAfter) {
        const before = registeredSinceCount;
        registeredSinceCount = 1;
        // Before the insertion, so that no client registers while the number of rows has no bound.
        await forget(now).catch(error => {
          registeredSinceCount += before;
          throw error;
        });
      }
      await pool.query(
        'INSERT INTO oauth_client (client_id, sealed_metadata, registered_at) VALUES ($1, $2, $3)',
        [clientId, await sealer.seal(JSON.stringify(metadata), clientId), now],
      );
    },
    async noteSignIn(clientId, now) {
      // Clients that use a metadata document have no row.
      if (clientIdForm.test(clientId)) {
        await pool.query({ name: 'note-client-sign-in', text: noteSignIn, values: [clientId, now] });
      }
    },
    async sweep(now) {
      await pool.query(noteConnected, [now, new Date(now.getTime() - dayMs)]);
      await pool.query(forgetFormer, [new Date(now.getTime() - lifetimes.formerClientSeconds * 1_000)]);
      let hasMore = true;
      while (hasMore) {
        hasMore = await forget(now);
      }
    },
  };
}
