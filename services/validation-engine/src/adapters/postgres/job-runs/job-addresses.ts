import { validationResults } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  AskedAddress,
  JobAddresses,
  OpenAddress,
  OpenChunk,
} from '../../../domain/job-runs/job-run-store.ts';
import type { Transaction } from './job-run-store.ts';

const assignChunks = `
  UPDATE validation_job_address a
  SET mail_host = p.mail_host, chunk_no = p.chunk_no, row_count = coalesce(r.rows, 1)
  FROM unnest($2::int[], $3::text[], $4::int[]) AS p (address_no, mail_host, chunk_no)
  LEFT JOIN (
    SELECT address_no, count(*)::int AS rows FROM validation_job_row
    WHERE job_no = $1 AND address_no = ANY($2::int[]) GROUP BY address_no
  ) r USING (address_no)
  WHERE a.job_no = $1 AND a.address_no = p.address_no`;

/** How many addresses one statement assigns to chunks, so that its text stays small. */
const assignedAtOnceMax = 5_000;

const isOpen = "state <> 'done' AND (state = 'pending' OR due_at <= $2)";

const openChunks = `
  SELECT DISTINCT ON (chunk_no) chunk_no AS "chunkNo", mail_host AS "mailHost" FROM validation_job_address
  WHERE job_no = $1 AND ${isOpen} ORDER BY chunk_no, address_no`;

const openOf = `
  SELECT address_no AS "addressNo", email, attempts FROM validation_job_address
  WHERE job_no = $1 AND chunk_no = $3 AND ${isOpen} ORDER BY address_no`;

const nextAt = `
  SELECT min(CASE state WHEN 'pending' THEN $2 ELSE due_at END) AS "nextAt" FROM validation_job_address
  WHERE job_no = $1 AND state <> 'done'`;

/**
 * Locks the job first, as every change of it does: nothing is recorded once the charge has been counted. A finished
 * address stays unchanged, so that two workers with the same question count it once.
 */
const record = `
  WITH job AS (
    SELECT job_no FROM validation_job WHERE job_no = $1 AND ending IS NULL FOR UPDATE
  ), changed AS (
    UPDATE validation_job_address a SET
      state = asked.state, attempts = a.attempts + 1, due_at = asked.due_at, result = asked.result,
      reason = asked.reason, mx_domain = asked.mx_domain, mx_provider = asked.mx_provider,
      email_type = asked.email_type, secure_email_gateway = asked.secure_email_gateway, details = asked.details,
      checked_at = $4::timestamptz
    FROM job, jsonb_to_recordset($2::jsonb) AS asked (
      address_no int, state text, due_at timestamptz, result text, reason text, mx_domain text, mx_provider text,
      email_type text, secure_email_gateway boolean, details jsonb)
    WHERE a.job_no = job.job_no AND a.address_no = asked.address_no AND a.state <> 'done'
    RETURNING a.state, a.result, a.row_count
  ), counted AS (
    SELECT count(*) FILTER (WHERE state = 'done')::int AS done,
      ${validationResults.map(result => `coalesce(sum(row_count) FILTER (WHERE result = '${result}'), 0)::int AS ${result}`).join(', ')}
    FROM changed
  )
  UPDATE validation_job j SET
    done = j.done + counted.done,
    results = jsonb_build_object(
      ${validationResults.map(result => `'${result}', coalesce((j.results->>'${result}')::int, 0) + counted.${result}`).join(', ')}),
    per_second = $3, failed_attempts = 0, moved_at = $4, version = j.version + 1
  FROM job, counted WHERE j.job_no = job.job_no`;

const countCharged = `
  SELECT count(*)::int AS charged FROM validation_job_address
  WHERE job_no = $1 AND state = 'done' AND result <> 'unknown'`;

/** The distinct addresses of jobs, stored in Postgres. */
export function createJobAddresses(pool: Pool): JobAddresses<Transaction> {
  return {
    async list({ jobNo }) {
      const { rows } = await pool.query<Pick<OpenAddress, 'addressNo' | 'email'>>(
        'SELECT address_no AS "addressNo", email FROM validation_job_address WHERE job_no = $1 ORDER BY address_no',
        [jobNo],
      );
      return rows;
    },
    async assignChunks(transaction, { jobNo }, addresses) {
      for (let start = 0; start < addresses.length; start += assignedAtOnceMax) {
        const some = addresses.slice(start, start + assignedAtOnceMax);
        await transaction.query(assignChunks, [
          jobNo,
          some.map(({ addressNo }) => addressNo),
          some.map(({ mailHost }) => mailHost),
          some.map(({ chunkNo }) => chunkNo),
        ]);
      }
    },
    async openChunks({ jobNo }, now) {
      const { rows } = await pool.query<OpenChunk>(openChunks, [jobNo, now]);
      return rows;
    },
    async openOf({ jobNo }, chunkNo, now) {
      const { rows } = await pool.query<OpenAddress>(openOf, [jobNo, now, chunkNo]);
      return rows;
    },
    async nextAt({ jobNo }, now) {
      const { rows } = await pool.query<{ nextAt: Date | null }>(nextAt, [jobNo, now]);
      return rows[0]?.nextAt ?? undefined;
    },
    async record({ jobNo }, asked, { now, perSecond }) {
      await pool.query(record, [jobNo, JSON.stringify(asked.map(recordOf), wellFormed), perSecond, now]);
    },
    async countCharged(transaction, { jobNo }) {
      const { rows } = await transaction.query<{ charged: number }>(countCharged, [jobNo]);
      return rows[0]?.charged ?? 0;
    },
  };
}

function recordOf({ addressNo, outcome }: AskedAddress) {
  if (outcome.kind === 'waiting') {
    return { address_no: addressNo, state: 'waiting', due_at: outcome.dueAt.toISOString() };
  }
  const { result, reason, mxDomain, mxProvider, emailType, secureEmailGateway, details } = outcome.verdict;
  return {
    address_no: addressNo,
    state: 'done',
    result,
    reason,
    mx_domain: mxDomain,
    mx_provider: mxProvider,
    email_type: emailType,
    secure_email_gateway: secureEmailGateway,
    // Without the transcripts of the sessions, which are the largest part.
    details: { ...details, sessions: [] },
  };
}

/** Text from others may contain characters that Postgres cannot store in `jsonb`. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\u0000', '') : value;
}
