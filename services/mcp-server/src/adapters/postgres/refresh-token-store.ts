import { inTransaction, type Sealer } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import { isInOverlap, isKept, refreshTokenSha256 } from '../../domain/oauth/refresh-overlap.ts';

/** A refresh token to store, with the record of the authorization server. */
export interface NewRefreshToken {
  readonly token: string;
  readonly assistantId: string;
  readonly payload: object;
  readonly expiresAt: Date;
}

/** When a refresh arrived, and the clock for the moment at which it is decided. */
export interface RefreshClock {
  readonly arrivedAt: Date;
  readonly now: () => Date;
}

/** What came of the use of a refresh token. */
export type Replacement =
  /** The new token has replaced it. */
  | { readonly kind: 'replaced' }
  /** It was replaced a moment ago, or is kept: the client gets this token, and the new one is discarded. */
  | { readonly kind: 'repeated'; readonly token: string }
  /** It was replaced, and its overlap has ended: a replay. */
  | { readonly kind: 'replayed' }
  /** It ended with its assistant. */
  | { readonly kind: 'gone' };

/** Where refresh tokens are kept, by their hash. */
export interface RefreshTokenStore {
  /** The authorization server's record of a token, also of a replaced one. */
  find(token: string): Promise<Record<string, unknown> | undefined>;
  /** Stores the first token of a connection. Returns false when its assistant has ended. */
  save(first: NewRefreshToken): Promise<boolean>;
  /**
   * Uses a token: replaces it by the new one, and extends the assistant until the new one expires. Of simultaneous
   * uses, at all replicas, one replaces the token, and during the overlap the others get the same successor.
   */
  replace(used: string, successor: NewRefreshToken, clock: RefreshClock): Promise<Replacement>;
  sweep(now: Date): Promise<number>;
}

interface UsedRow {
  readonly consumed_at: Date | null;
  readonly given_again_at: Date | null;
  readonly successor_received_at: Date | null;
  readonly successor_consumed_at: Date | null;
  readonly newest_sha256: Buffer | null;
  readonly newest_sealed: string | null;
}

const insert = `
  INSERT INTO refresh_token (token_sha256, assistant_id, sealed_token, expires_at)
  VALUES ($1, $2, $3, $4)`;
const lengthen = 'UPDATE assistant SET expires_at = greatest(expires_at, $2) WHERE assistant_id = $1';
// Locks the row too, because replicas of the previous release do not lock the assistant first.
const findUsed = `
  SELECT used.consumed_at, used.given_again_at, successor.received_at AS successor_received_at,
    successor.consumed_at AS successor_consumed_at, newest.token_sha256 AS newest_sha256,
    newest.sealed_token AS newest_sealed
  FROM refresh_token used
  LEFT JOIN refresh_token successor ON successor.token_sha256 = used.successor_sha256
  LEFT JOIN refresh_token newest ON newest.consumed_at IS NULL
    AND newest.token_sha256 = coalesce(successor.successor_sha256, successor.token_sha256)
  WHERE used.token_sha256 = $1 FOR UPDATE OF used`;
const consume = `
  UPDATE refresh_token SET consumed_at = $2, expires_at = least(expires_at, $3), successor_sha256 = $4
  WHERE token_sha256 = $1`;
const giveAgain = 'UPDATE refresh_token SET given_again_at = $2 WHERE token_sha256 = $1';
/** Records the first sign that the client has received a token. */
export const noteReceived = `
  UPDATE refresh_token SET received_at = $2 WHERE token_sha256 = $1 AND received_at IS NULL`;

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
      /** Locks the assistant. Every refresh and every end of it takes this lock first, so that no deadlock occurs. */
      lockAssistant: async (client: PoolClient): Promise<boolean> =>
        (await client.query(lengthen, [assistantId, expiresAt])).rowCount === 1,
      insert: (client: PoolClient) => client.query(insert, [sha256, assistantId, sealed, expiresAt]),
    };
  }

  return {
    async find(token) {
      const sha256 = refreshTokenSha256(token);
      const { rows } = await pool.query<{ sealed_token: string }>({
        name: 'find-refresh-token',
        text: 'SELECT sealed_token FROM refresh_token WHERE token_sha256 = $1',
        values: [sha256],
      });
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
        // Not before the lock: requests that arrive while this one waits for it have arrived before it is decided.
        const now = clock.now();
        const row = isThere && (await client.query<UsedRow>(findUsed, [usedSha256])).rows[0];
        if (!row) {
          return { kind: 'gone' };
        }
        if (row.consumed_at === null) {
          if (isKept(row.given_again_at ?? undefined, overlapSeconds, now)) {
            await client.query(noteReceived, [usedSha256, now]);
            return { kind: 'repeated', token: used };
          }
          const rememberedUntil = new Date(now.getTime() + lifetimes.usedTokenSeconds * 1_000);
          await client.query(consume, [usedSha256, now, rememberedUntil, prepared.sha256]);
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
        await client.query(giveAgain, [newestSha256, now]);
        return { kind: 'repeated', token: String((await open(sealed, newestSha256))['jti']) };
      });
    },

    async sweep(now) {
      const { rowCount } = await pool.query('DELETE FROM refresh_token WHERE expires_at < $1', [now]);
      return rowCount ?? 0;
    },
  };
}
