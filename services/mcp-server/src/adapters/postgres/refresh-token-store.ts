import { inTransaction, type Sealer } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import { isInOverlap, isKept, refreshTokenSha256 } from '../../domain/oauth/refresh-overlap.ts';
import { sql } from './oauth.sql.ts';

/** A refresh token to store, with the authorization server's record of it. */
export interface NewRefreshToken {
  readonly token: string;
  readonly assistantId: string;
  readonly payload: object;
  readonly expiresAt: Date;
}

/** When a refresh arrived, and the clock that is read when it is decided. */
export interface RefreshClock {
  readonly arrivedAt: Date;
  readonly now: () => Date;
}

/** The result of using a refresh token. */
export type Replacement =
  /** The new token has replaced it. */
  | { readonly kind: 'replaced' }
  /** It was replaced a moment ago, or is kept: the client gets this token, and the new one is discarded. */
  | { readonly kind: 'repeated'; readonly token: string }
  /** It was replaced, and its overlap has ended: a replay. */
  | { readonly kind: 'replayed' }
  /** It ended with its assistant. */
  | { readonly kind: 'gone' };

/** Stores refresh tokens by their hash. */
export interface RefreshTokenStore {
  /** Returns the authorization server's record of a token, even if the token was replaced. */
  find(token: string): Promise<Record<string, unknown> | undefined>;
  /** Stores the first token of a connection. Returns false when its assistant has ended. */
  save(first: NewRefreshToken): Promise<boolean>;
  /**
   * Uses a token: replaces it with the new one, and extends the assistant until the new one expires. Among simultaneous
   * uses, across all replicas, one replaces the token, and during the overlap the others get the same successor.
   */
  replace(used: string, successor: NewRefreshToken, clock: RefreshClock): Promise<Replacement>;
  sweep(now: Date): Promise<number>;
}

export function createRefreshTokenStore(
  pool: Pool,
  sealer: Sealer,
  overlapSeconds: number,
): RefreshTokenStore {
  const open = async (sealed: string, sha256: Buffer): Promise<Record<string, unknown>> =>
    JSON.parse(await sealer.open(sealed, sha256.toString('hex')));

  async function prepare({ token, assistantId, payload, expiresAt }: NewRefreshToken) {
    const sha256 = refreshTokenSha256(token);
    const sealed = await sealer.seal(JSON.stringify(payload), sha256.toString('hex'));
    return {
      sha256,
      /**
       * Locks the assistant. Every refresh of it, and everything that ends it, takes this lock first, so that no
       * deadlock occurs.
       */
      lockAssistant: async (client: PoolClient): Promise<boolean> => {
        const values = { assistant_id: assistantId, expires_at: expiresAt };
        return (await sql.extend_assistant(client, values)).rowCount === 1;
      },
      insert: (client: PoolClient) =>
        sql.save_refresh_token(client, {
          sha256,
          assistant_id: assistantId,
          sealed_token: sealed,
          expires_at: expiresAt,
        }),
    };
  }

  return {
    async find(token) {
      const sha256 = refreshTokenSha256(token);
      const { rows } = await sql.find_refresh_token(pool, { sha256 });
      return rows[0] && open(rows[0].sealed_token, sha256);
    },

    async save(first) {
      const prepared = await prepare(first);
      return inTransaction(pool, async client => {
        const isThere = await prepared.lockAssistant(client);
        if (isThere) {
          await prepared.insert(client);
        }
        return isThere;
      });
    },

    async replace(used, successor, clock) {
      const usedSha256 = refreshTokenSha256(used);
      const prepared = await prepare(successor);
      return inTransaction(pool, async client => {
        const isThere = await prepared.lockAssistant(client);
        // Read after the lock: requests that arrive while this one waits for the lock arrive before it is decided.
        const now = clock.now();
        const row = isThere && (await sql.lock_used_token(client, { sha256: usedSha256 })).rows[0];
        if (!row) {
          return { kind: 'gone' };
        }
        if (row.consumed_at === null) {
          if (isKept(row.given_again_at ?? undefined, overlapSeconds, now)) {
            await sql.note_token_received(client, { sha256: usedSha256, now });
            return { kind: 'repeated', token: used };
          }
          const rememberedUntil = new Date(now.getTime() + lifetimes.usedTokenSeconds * 1_000);
          await sql.consume_token(client, {
            sha256: usedSha256,
            now,
            remembered_until: rememberedUntil,
            successor_sha256: prepared.sha256,
          });
          await prepared.insert(client);
          return { kind: 'replaced' };
        }
        const replaced = {
          replacedAt: row.consumed_at,
          successorReceivedAt: row.successor_received_at ?? undefined,
          successorReplacedAt: row.successor_consumed_at ?? undefined,
        };
        const { newest_sha256: newestSha256, newest_sealed: sealed } = row;
        const times = { arrivedAt: clock.arrivedAt, now };
        if (newestSha256 === null || sealed === null || !isInOverlap(replaced, overlapSeconds, times)) {
          return { kind: 'replayed' };
        }
        await sql.note_token_given_again(client, { sha256: newestSha256, now });
        return { kind: 'repeated', token: String((await open(sealed, newestSha256))['jti']) };
      });
    },

    async sweep(now) {
      return (await sql.sweep_refresh_tokens(pool, { now })).rowCount ?? 0;
    },
  };
}
