import type { EnrichedProfile, ProfileProvenance } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { SubjectTrace } from '../../domain/privacy/suppression.ts';
import type { SourceAnswer } from '../../domain/profile-enrichment/profile-source.ts';
import { profileKeyHash, type RememberedAnswers } from '../../domain/profile-enrichment/remembered-source.ts';

interface AnswerRow {
  readonly answer: {
    readonly profile: EnrichedProfile;
    readonly provenance: ProfileProvenance;
    readonly sameAs?: readonly string[];
  } | null;
  readonly said_at: Date;
}

/** What accounts' own providers said, each account's for itself. */
export function createProviderAnswers(pool: Pool): RememberedAnswers {
  return {
    async get({ accountId }, keyHash, now) {
      const { rows } = await pool.query<AnswerRow>(
        'SELECT answer, said_at FROM provider_answer WHERE account_id = $1 AND key_hash = $2 AND expires_at > $3',
        [accountId, keyHash, now],
      );
      return answerOf(rows[0]);
    },
    async put({ accountId }, keyHash, answer, expiresAt) {
      // Only while there is a provider: one that was removed on the way leaves nothing behind.
      await pool.query(
        `INSERT INTO provider_answer (account_id, key_hash, answer, said_at, expires_at)
         SELECT account_id, $2, $3, $4, $5 FROM profile_provider WHERE account_id = $1 AND updated_at <= $4
         ON CONFLICT (account_id, key_hash) DO UPDATE
           SET answer = excluded.answer, said_at = excluded.said_at, expires_at = excluded.expires_at
           WHERE provider_answer.said_at <= excluded.said_at`,
        [accountId, keyHash, contentOf(answer), answer.saidAt, expiresAt],
      );
    },
  };
}

/** What public pages said, the same to all. */
export function createPageAnswers(pool: Pool): RememberedAnswers {
  return {
    async get(_question, keyHash, now) {
      const { rows } = await pool.query<AnswerRow>(
        'SELECT answer, said_at FROM page_answer WHERE key_hash = $1 AND expires_at > $2',
        [keyHash, now],
      );
      return answerOf(rows[0]);
    },
    async put(_question, keyHash, answer, expiresAt) {
      await pool.query(
        `INSERT INTO page_answer (key_hash, answer, said_at, expires_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (key_hash) DO UPDATE
           SET answer = excluded.answer, said_at = excluded.said_at, expires_at = excluded.expires_at
           WHERE page_answer.said_at <= excluded.said_at`,
        [keyHash, contentOf(answer), answer.saidAt, expiresAt],
      );
    },
  };
}

/** Remembered answers about somebody who asked to be left out. */
export const profileAnswerTrace: SubjectTrace<Pick<PoolClient, 'query'>> = {
  async forget(transaction, { profileKey }) {
    const keyHash = profileKeyHash(profileKey);
    await transaction.query('DELETE FROM provider_answer WHERE key_hash = $1', [keyHash]);
    await transaction.query('DELETE FROM page_answer WHERE key_hash = $1', [keyHash]);
  },
};

/** Rows that one statement of a sweep deletes at most. */
const rowsAtOnce = 5_000;

/** Deletes what is over, and of each table what would be over next beyond `rowsMax`; answers how many. */
export async function sweepProfileAnswers(pool: Pool, now: Date, rowsMax: number): Promise<number> {
  let swept = 0;
  for (const table of ['provider_answer', 'page_answer'] as const) {
    for (const [where, value] of [
      ['expires_at <= $1', now],
      [`expires_at <= (SELECT expires_at FROM ${table} ORDER BY expires_at DESC OFFSET $1 LIMIT 1)`, rowsMax],
    ] as const) {
      let deleted: number;
      do {
        const { rowCount } = await pool.query(
          `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${rowsAtOnce}))`,
          [value],
        );
        deleted = rowCount ?? 0;
        swept += deleted;
      } while (deleted === rowsAtOnce);
    }
  }
  return swept;
}

function answerOf(row: AnswerRow | undefined): SourceAnswer | undefined {
  if (row === undefined) {
    return undefined;
  }
  return row.answer === null
    ? { outcome: 'notFound', saidAt: row.said_at }
    : { outcome: 'found', ...row.answer, saidAt: row.said_at };
}

function contentOf(answer: SourceAnswer): string | null {
  return answer.outcome === 'notFound'
    ? null
    : JSON.stringify({ profile: answer.profile, provenance: answer.provenance, sameAs: answer.sameAs });
}
