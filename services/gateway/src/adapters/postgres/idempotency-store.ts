import type { RequestId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { IdempotencyStore } from '../../domain/charging/idempotency.ts';

interface RecordRow {
  readonly fingerprint: Buffer;
  readonly run_id: RequestId;
  readonly sealed_answer: Buffer | null;
}

/**
 * Starts a record, restarts an expired one, or takes over one whose attempt never ended, keeping its run id. Returns no
 * row if another request has the key.
 */
const begin = `
  INSERT INTO idempotency_record AS record
    (account_id, lookup, fingerprint, run_id, lease_id, lease_until, expires_at)
  VALUES ($1, $2, $3, $4, $4, now() + make_interval(secs => $5 / 1000.0), now() + make_interval(secs => $6 / 1000.0))
  ON CONFLICT (account_id, lookup) DO UPDATE SET
    fingerprint = EXCLUDED.fingerprint,
    run_id = CASE WHEN record.expires_at <= now() THEN EXCLUDED.run_id ELSE record.run_id END,
    expires_at = CASE WHEN record.expires_at <= now() THEN EXCLUDED.expires_at ELSE record.expires_at END,
    sealed_answer = NULL,
    lease_id = EXCLUDED.lease_id,
    lease_until = EXCLUDED.lease_until
  WHERE record.expires_at <= now()
    OR (record.sealed_answer IS NULL AND record.lease_until <= now() AND record.fingerprint = EXCLUDED.fingerprint)
  RETURNING run_id`;

const find =
  'SELECT fingerprint, run_id, sealed_answer FROM idempotency_record WHERE account_id = $1 AND lookup = $2';

const keep = `
  UPDATE idempotency_record SET sealed_answer = $4, lease_until = now()
  WHERE account_id = $1 AND lookup = $2 AND lease_id = $3 AND sealed_answer IS NULL`;

const abandon = `
  DELETE FROM idempotency_record
  WHERE account_id = $1 AND lookup = $2 AND lease_id = $3 AND sealed_answer IS NULL`;

/** Limits how long one round holds locks; the next round deletes the rest. */
const sweptMax = 1_000;

const sweep = `
  DELETE FROM idempotency_record WHERE (account_id, lookup) IN (
    SELECT account_id, lookup FROM idempotency_record WHERE expires_at <= now()
    LIMIT ${sweptMax} FOR UPDATE SKIP LOCKED)`;

/** A record may be swept or abandoned between the two queries; the first one is then retried. */
const looksMax = 5;

/** Records of idempotency keys on Postgres. */
export function createIdempotencyStore(pool: Pool): IdempotencyStore {
  return {
    async begin({ accountId, lookup, fingerprint, requestId, leaseMs, keptMs }) {
      for (let looks = 0; looks < looksMax; looks += 1) {
        const started = await pool.query<{ run_id: RequestId }>({
          name: 'begin-idempotency-record',
          text: begin,
          values: [accountId, lookup, fingerprint, requestId, leaseMs, keptMs],
        });
        if (started.rows[0]) {
          return { kind: 'started', runId: started.rows[0].run_id };
        }
        const found = await pool.query<RecordRow>({
          name: 'find-idempotency-record',
          text: find,
          values: [accountId, lookup],
        });
        const [record] = found.rows;
        if (record) {
          return outcomeOf(record, fingerprint);
        }
      }
      return { kind: 'inUse' };
    },

    async keep({ accountId, lookup, requestId }, sealedAnswer) {
      const { rowCount } = await pool.query(keep, [accountId, lookup, requestId, sealedAnswer]);
      return rowCount === 1;
    },

    async abandon({ accountId, lookup, requestId }) {
      await pool.query(abandon, [accountId, lookup, requestId]);
    },

    async sweep() {
      const { rowCount } = await pool.query(sweep);
      return rowCount ?? 0;
    },
  };
}

function outcomeOf({ fingerprint, run_id, sealed_answer }: RecordRow, asked: Uint8Array) {
  if (!fingerprint.equals(asked)) {
    return { kind: 'reused' } as const;
  }
  return sealed_answer === null
    ? ({ kind: 'inUse' } as const)
    : ({ kind: 'answered', runId: run_id, sealedAnswer: sealed_answer } as const);
}
