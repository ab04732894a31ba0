import { createHash } from 'node:crypto';
import type { RowOf } from '@mailproof/service-kit';
import type { EnrichedProfile, ProfileProvenance } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { SubjectTrace } from '../../domain/privacy/subjects.ts';
import { recognitionOf } from '../../domain/profile-enrichment/enrich-profile.ts';
import type { SourceAnswer } from '../../domain/profile-enrichment/profile-source.ts';
import { profileKeyHash, type RememberedAnswers } from '../../domain/profile-enrichment/remembered-source.ts';
import { sql } from './profiles.sql.ts';

type AnswerRow = RowOf<typeof sql.find_provider_answer>;

/** What is stored of an answer; null if the source does not know the profile. */
type Content = {
  readonly profile: EnrichedProfile;
  readonly provenance: ProfileProvenance;
  readonly sameAs?: readonly string[];
} | null;

/** Stores the answers of accounts' own providers, separately for each account. */
export function createProviderAnswers(pool: Pool): RememberedAnswers {
  return {
    async get({ accountId }, keyHash, now) {
      const values = { account_id: accountId, key_hash: keyHash, now };
      return answerOf((await sql.find_provider_answer(pool, values)).rows[0]);
    },
    async put({ accountId }, keyHash, answer, expiresAt) {
      await sql.put_provider_answer(pool, {
        account_id: accountId,
        key_hash: keyHash,
        answer: contentOf(answer),
        said_at: answer.answeredAt,
        expires_at: expiresAt,
      });
    },
  };
}

/** Stores the answers of public pages, shared by all accounts. */
export function createPageAnswers(pool: Pool): RememberedAnswers {
  return {
    async get(_question, keyHash, now) {
      return answerOf((await sql.find_page_answer(pool, { key_hash: keyHash, now })).rows[0]);
    },
    async put(_question, keyHash, answer, expiresAt) {
      await sql.put_page_answer(pool, {
        key_hash: keyHash,
        answer: contentOf(answer),
        said_at: answer.answeredAt,
        expires_at: expiresAt,
      });
    },
  };
}

/**
 * Stores the answers of the operator's providers, shared by all accounts, with those of pages: a profile's page and a
 * provider's answer about it have different keys.
 */
export function createOperatorAnswers(pool: Pool): RememberedAnswers {
  const answers = createPageAnswers(pool);
  return {
    get: (question, keyHash, now) => answers.get(question, operatorKeyHash(keyHash), now),
    put: (question, keyHash, answer, expiresAt) =>
      answers.put(question, operatorKeyHash(keyHash), answer, expiresAt),
  };
}

function operatorKeyHash(keyHash: Uint8Array): Uint8Array {
  return createHash('sha256').update('operator_provider').update(keyHash).digest();
}

/**
 * Deletes remembered answers about a suppressed person. What an account's own provider says adds nothing to what is
 * suppressed, nor do the profiles that a page calls its own: a false statement must not remove other people (ADR 0088).
 */
export const profileAnswerTrace: SubjectTrace<Pick<PoolClient, 'query'>> = {
  async recognize(transaction, { profileKey }) {
    const keyHash = profileKeyHash(profileKey);
    const { rows } = await sql.read_shared_answers(transaction, {
      key_hashes: [keyHash, operatorKeyHash(keyHash)],
    });
    return rows.map(({ answer }) => recognitionOf((answer as NonNullable<Content>).profile));
  },
  async forget(transaction, { profileKey }) {
    const keyHash = profileKeyHash(profileKey);
    await sql.delete_provider_answers_about(transaction, { key_hash: keyHash });
    await sql.delete_page_answer(transaction, { key_hash: keyHash });
    await sql.delete_page_answer(transaction, { key_hash: operatorKeyHash(keyHash) });
  },
};

/** The maximum number of rows that one statement of a sweep deletes. */
const rowsAtOnce = 5_000;

/** Deletes expired answers, and in each table those that expire next beyond `rowsMax`; returns the number deleted. */
export async function sweepProfileAnswers(pool: Pool, now: Date, rowsMax: number): Promise<number> {
  let swept = 0;
  for (const sweep of [
    () => sql.sweep_provider_answers(pool, { now, rows_max: rowsAtOnce }),
    () => sql.trim_provider_answers(pool, { kept_max: rowsMax, rows_max: rowsAtOnce }),
    () => sql.sweep_page_answers(pool, { now, rows_max: rowsAtOnce }),
    () => sql.trim_page_answers(pool, { kept_max: rowsMax, rows_max: rowsAtOnce }),
  ]) {
    let deleted: number;
    do {
      deleted = (await sweep()).rowCount ?? 0;
      swept += deleted;
    } while (deleted === rowsAtOnce);
  }
  return swept;
}

function answerOf(row: AnswerRow | undefined): SourceAnswer | undefined {
  if (row === undefined) {
    return undefined;
  }
  const content = row.answer as Content;
  return content === null
    ? { outcome: 'notFound', answeredAt: row.said_at }
    : { outcome: 'found', ...content, answeredAt: row.said_at };
}

function contentOf(answer: SourceAnswer): string | null {
  return answer.outcome === 'notFound'
    ? null
    : JSON.stringify({ profile: answer.profile, provenance: answer.provenance, sameAs: answer.sameAs });
}
