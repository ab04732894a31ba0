import type { RowOf } from '@mailproof/service-kit';
import type { RequestId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { IdempotencyAttempt, IdempotencyStore } from '../../domain/charging/idempotency.ts';
import { sql } from './charging.sql.ts';

/** A record may be swept or abandoned between the two queries; the first one is then retried. */
const looksMax = 5;

/** Records of idempotency keys on Postgres. */
export function createIdempotencyStore(pool: Pool): IdempotencyStore {
  return {
    async begin(attempt) {
      const fingerprint = Buffer.from(attempt.fingerprint);
      for (let looks = 0; looks < looksMax; looks += 1) {
        const started = await sql.begin_idempotency_record(pool, {
          ...attemptOf(attempt),
          fingerprint,
          lease_ms: attempt.leaseMs,
          kept_ms: attempt.keptMs,
        });
        if (started.rows[0]) {
          return { kind: 'started', runId: started.rows[0].run_id as RequestId };
        }
        const found = await sql.find_idempotency_record(pool, attemptOf(attempt));
        const [record] = found.rows;
        if (record) {
          return outcomeOf(record, fingerprint);
        }
      }
      return { kind: 'inUse' };
    },

    async keep(attempt, sealedAnswer) {
      const values = { ...attemptOf(attempt), sealed_answer: Buffer.from(sealedAnswer) };
      return (await sql.keep_answer(pool, values)).rowCount === 1;
    },

    async abandon(attempt) {
      await sql.abandon_idempotency_record(pool, attemptOf(attempt));
    },

    async sweep() {
      return (await sql.sweep_idempotency_records(pool, {})).rowCount ?? 0;
    },
  };
}

function attemptOf({ accountId, lookup, requestId }: IdempotencyAttempt) {
  return { account_id: accountId, lookup: Buffer.from(lookup), request_id: requestId };
}

function outcomeOf(
  { fingerprint, run_id, sealed_answer }: RowOf<typeof sql.find_idempotency_record>,
  asked: Buffer,
) {
  if (!fingerprint.equals(asked)) {
    return { kind: 'reused' } as const;
  }
  return sealed_answer === null
    ? ({ kind: 'inUse' } as const)
    : ({ kind: 'answered', runId: run_id as RequestId, sealedAnswer: sealed_answer } as const);
}
