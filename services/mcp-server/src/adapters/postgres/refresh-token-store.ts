import { createHash } from 'node:crypto';
import { inTransaction, type Sealer } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';

/** A refresh token as the authorization server records it. */
export interface RefreshTokenRecord {
  readonly payload: Record<string, unknown>;
  readonly consumedAt: Date | undefined;
}

/** Where refresh tokens are kept, by their hash. */
export interface RefreshTokenStore {
  find(token: string): Promise<RefreshTokenRecord | undefined>;
  /** Keeps a token as long as its assistant is there, and the assistant as long as its token is good. Answers whether it is. */
  save(token: string, assistantId: string, payload: object, expiresAt: Date): Promise<boolean>;
  /** Uses a token up. Answers false to all but the first, however many ask at once. */
  consume(token: string, now: Date): Promise<boolean>;
  remove(token: string): Promise<void>;
  removeOf(assistantId: string): Promise<void>;
  sweep(now: Date): Promise<number>;
}

const insert = `
  INSERT INTO refresh_token (token_sha256, assistant_id, sealed_token, expires_at) VALUES ($1, $2, $3, $4)`;
const lengthen = 'UPDATE assistant SET expires_at = greatest(expires_at, $2) WHERE assistant_id = $1';
const consume = `
  UPDATE refresh_token SET consumed_at = $2, expires_at = least(expires_at, $3)
  WHERE token_sha256 = $1 AND consumed_at IS NULL`;

export function createRefreshTokenStore(pool: Pool, sealer: Sealer): RefreshTokenStore {
  return {
    async find(token) {
      const sha256 = hashOf(token);
      const { rows } = await pool.query<{ sealed_token: string; consumed_at: Date | null }>({
        name: 'find-refresh-token',
        text: 'SELECT sealed_token, consumed_at FROM refresh_token WHERE token_sha256 = $1',
        values: [sha256],
      });
      const [row] = rows;
      return (
        row && {
          payload: JSON.parse(await sealer.open(row.sealed_token, sha256.toString('hex'))),
          consumedAt: row.consumed_at ?? undefined,
        }
      );
    },

    async save(token, assistantId, payload, expiresAt) {
      const sha256 = hashOf(token);
      const sealed = await sealer.seal(JSON.stringify(payload), sha256.toString('hex'));
      try {
        await inTransaction(pool, async client => {
          // The assistant first: an order of locks that its end has too.
          await client.query(lengthen, [assistantId, expiresAt]);
          await client.query(insert, [sha256, assistantId, sealed, expiresAt]);
        });
        return true;
      } catch (error) {
        if (isOfGoneRow(error)) {
          return false;
        }
        throw error;
      }
    },

    async consume(token, now) {
      const rememberedUntil = new Date(now.getTime() + lifetimes.usedTokenSeconds * 1_000);
      const { rowCount } = await pool.query(consume, [hashOf(token), now, rememberedUntil]);
      return rowCount === 1;
    },

    async remove(token) {
      await pool.query('DELETE FROM refresh_token WHERE token_sha256 = $1', [hashOf(token)]);
    },

    async removeOf(assistantId) {
      await pool.query('DELETE FROM refresh_token WHERE assistant_id = $1', [assistantId]);
    },

    async sweep(now) {
      const { rowCount } = await pool.query('DELETE FROM refresh_token WHERE expires_at < $1', [now]);
      return rowCount ?? 0;
    },
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const foreignKeyViolation = '23503';

/** Whether a row could not be written because what it belongs to is gone. */
function isOfGoneRow(error: unknown): boolean {
  return (Object(error) as { code?: unknown }).code === foreignKeyViolation;
}
