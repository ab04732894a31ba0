import type { EnrichedProfile, ProfileProvenance } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { SubjectTrace } from '../../domain/privacy/subjects.ts';
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

/** Stores the answers of accounts' own providers, separately for each account. */
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
      // Stored only while the provider exists: a provider that was removed in the meantime leaves nothing behind.
      await pool.query(
        `INSERT INTO provider_answer (account_id, key_hash, answer, said_at, expires_at)
         SELECT account_id, $2, $3, $4, $5 FROM profile_provider WHERE account_id = $1 AND updated_at <= $4
         ON CONFLICT (account_id, key_hash) DO UPDATE
           SET answer = excluded.answer, said_at = excluded.said_at, expires_at = excluded.expires_at
           WHERE provider_answer.said_at <= excluded.said_at`,
        [accountId, keyHash, contentOf(answer), answer.answeredAt, expiresAt],
      );
    },
  };
}

/** Stores the answers of public pages, shared by all accounts. */
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
        [keyHash, contentOf(answer), answer.answeredAt, expiresAt],
      );
    },
  };
}

/** Deletes remembered answers about a suppressed person. */
export const profileAnswerTrace: SubjectTrace<Pick<PoolClient, 'query'>> = {
  async forget(transaction, { profileKey }) {
    const keyHash = profileKeyHash(profileKey);
    await transaction.query('DELETE FROM provider_answer WHERE key_hash = $1', [keyHash]);
    await transaction.query('DELETE FROM page_answer WHERE key_hash = $1', [keyHash]);
  },
};

/** The maximum number of rows that one statement of a sweep deletes. */
const rowsAtOnce = 5_000;

/** Deletes expired answers, and in each table those that expire next beyond `rowsMax`; returns the number deleted. */
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
    ? { outcome: 'notFound', answeredAt: row.said_at }
    : { outcome: 'found', ...row.answer, answeredAt: row.said_at };
}

function contentOf(answer: SourceAnswer): string | null {
  return answer.outcome === 'notFound'
    ? null
    : JSON.stringify({ profile: answer.profile, provenance: answer.provenance, sameAs: answer.sameAs });
}
