import { onlyRow, type Sealer } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import { sql } from './oauth.sql.ts';

/** Stores clients that registered themselves. Their registrations are sealed because they can contain a secret. */
export interface ClientStore {
  find(clientId: string): Promise<Record<string, unknown> | undefined>;
  save(clientId: string, metadata: Readonly<Record<string, unknown>>, now: Date): Promise<void>;
  /** Records that a browser has opened the sign-in page of a client. */
  noteSignIn(clientId: string, now: Date): Promise<void>;
  /** Deletes clients that have not been connected for a while, and unused ones beyond the ceiling. */
  sweep(now: Date): Promise<void>;
}

/** How many unused clients were deleted, by reason: their age, or the ceiling. */
type Forgotten = Readonly<Record<'expired' | 'ceiling', number>>;

export interface ClientStoreOptions {
  /** The largest number of clients that were never connected, across all replicas. */
  readonly unusedMax: number;
  /** Called after each count, with the number of unused clients that are left and of those that were deleted. */
  readonly onUnusedCounted: (unused: number, forgotten: Forgotten) => void;
}

/** The most rows that one statement deletes, so that it finishes within its timeout. */
const batchMax = 10_000;
const dayMs = 86_400_000;

/** The form of the client ids that the library generates. */
const clientIdForm = /^[\w-]{1,128}$/;

export function createClientStore(pool: Pool, sealer: Sealer, options: ClientStoreOptions): ClientStore {
  // Each replica counts after this many of its registrations, and makes room for as many as five replicas can add
  // before their next count. A count takes about 25 ms with 10,000 unused clients; an insertion takes less than 1 ms.
  const countAfter = Math.ceil(options.unusedMax / 100);
  const kept = options.unusedMax - Math.floor(options.unusedMax / 20);
  let registeredSinceCount = countAfter;

  /** Deletes unused clients that have expired or exceed the ceiling. Returns whether more of them may be left. */
  async function forget(now: Date): Promise<boolean> {
    const expired = new Date(now.getTime() - lifetimes.unusedClientSeconds * 1_000);
    const values = { expired, kept_max: kept, forgotten_max: batchMax };
    const found = await onlyRow(sql.forget_unused_clients(pool, values));
    const forgotten = found.expired + found.ceiling;
    options.onUnusedCounted(found.unused - forgotten, found);
    return forgotten === batchMax;
  }

  return {
    async find(clientId) {
      // Anyone can ask for any id, including text that Postgres does not accept.
      if (!clientIdForm.test(clientId)) {
        return undefined;
      }
      const { rows } = await sql.find_client(pool, { client_id: clientId });
      return rows[0] && JSON.parse(await sealer.open(rows[0].sealed_metadata, clientId));
    },
    async save(clientId, metadata, now) {
      registeredSinceCount += 1;
      if (registeredSinceCount > countAfter) {
        const before = registeredSinceCount;
        registeredSinceCount = 1;
        // Before the insertion, so that no client registers while the number of rows is unbounded.
        await forget(now).catch(error => {
          registeredSinceCount += before;
          throw error;
        });
      }
      const sealed = await sealer.seal(JSON.stringify(metadata), clientId);
      await sql.save_client(pool, { client_id: clientId, sealed_metadata: sealed, now });
    },
    async noteSignIn(clientId, now) {
      // Clients that use a metadata document have no row.
      if (clientIdForm.test(clientId)) {
        await sql.note_client_sign_in(pool, { client_id: clientId, now });
      }
    },
    async sweep(now) {
      const since = (ms: number) => new Date(now.getTime() - ms);
      await sql.note_clients_connected(pool, { now, since: since(dayMs) });
      await sql.forget_former_clients(pool, { since: since(lifetimes.formerClientSeconds * 1_000) });
      let hasMore = true;
      while (hasMore) {
        hasMore = await forget(now);
      }
    },
  };
}
