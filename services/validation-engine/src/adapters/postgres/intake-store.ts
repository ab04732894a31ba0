import { inTransaction, traceParent } from '@mailproof/service-kit';
import { limits, prices, type ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { RowCounts } from '../../domain/intake/address-tally.ts';
import type { IntakeStore, JobContent } from '../../domain/intake/intake-job.ts';
import { contentOf, selectContent } from './job-content.ts';
import { deleteBrokenOff, deleteJob } from './job-removal.ts';
import { createRecount, insertAddresses, insertRows } from './job-row-writer.ts';

/** Concurrent starts may exceed the limit of an account by one or two, which is harmless. */
const begin = `
  INSERT INTO validation_job
    (job_id, account_id, created_by, request_id, name, origin, price, created_at, moved_at, deleted_at, trace_parent)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, now(), $9, $10
  WHERE (SELECT count(*) FROM validation_job WHERE account_id = $2 AND gone_at IS NULL AND state = 'receiving')
      < ${limits.uploadsAtOnceMax}
    AND (SELECT count(*) FROM validation_job
         WHERE account_id = $2 AND gone_at IS NULL AND state IN ('receiving', 'ready')) < ${limits.unstartedJobsMax}`;

const noteRows = `
  UPDATE validation_job SET rows_total = $2, rows_valid = $3, rows_broken = $4, rows_blank = $5,
    rows_duplicate = $6, moved_at = now(), version = version + 1
  WHERE job_id = $1 AND state = 'receiving' AND gone_at IS NULL
  RETURNING job_no`;

const noteContent = `
  UPDATE validation_job SET rows_total = $2, rows_valid = $3, rows_broken = $4, rows_blank = $5,
    rows_duplicate = $6, addresses = $7, layout = $8, header = $9, columns = $10, column_facts = $11,
    address_column = $12, moved_at = now(), version = version + 1`;

const interrupt = `
  UPDATE validation_job SET state = 'failed', failure = 'upload_broken_off', charge = 0, spent = 0,
    ended_at = now(), version = version + 1
  WHERE job_id = $1 AND state = 'receiving' AND gone_at IS NULL`;

const discardUnfinished = `
  UPDATE validation_job SET gone_at = now(), version = version + 1
  WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL AND origin = 'crm'
    AND (state = 'receiving' OR failure = 'upload_broken_off')`;

export function createIntakeStore(pool: Pool): IntakeStore {
  return {
    async begin({ jobId, accountId, createdBy, requestId, name, origin, createdAt, deletedAt }) {
      const values = [
        jobId,
        accountId,
        createdBy,
        requestId,
        name,
        origin,
        prices.validation,
        createdAt,
        deletedAt,
        traceParent(),
      ];
      const { rowCount } = await pool.query(begin, values);
      return rowCount === 1;
    },
    append: (jobId, rows, counts) =>
      inTransaction(pool, async client => {
        const { rows: noted } = await client.query<{ job_no: string }>(noteRows, [
          jobId,
          ...countsOf(counts),
        ]);
        const jobNo = noted[0]?.job_no;
        if (jobNo === undefined) {
          return false;
        }
        await insertAddresses(client, jobNo, rows);
        await insertRows(client, jobNo, rows);
        return true;
      }),
    async finish(jobId, content) {
      const { rowCount } = await pool.query(
        `${noteContent}, state = 'ready' WHERE job_id = $1 AND state = 'receiving' AND gone_at IS NULL`,
        contentValues(jobId, content),
      );
      return rowCount === 1;
    },
    async discard(jobId) {
      const { rows } = await pool.query<{ job_no: string }>(
        `UPDATE validation_job SET gone_at = now() WHERE job_id = $1 AND state = 'receiving' RETURNING job_no`,
        [jobId],
      );
      for (const { job_no: jobNo } of rows) {
        // The client gets its refusal in any case: the sweep deletes the rest of the job.
        await deleteJob(pool, jobNo).catch(() => undefined);
      }
    },
    async discardUnfinished(accountId, jobId) {
      // The next sweep deletes its rows.
      await pool.query(discardUnfinished, [accountId, jobId]);
    },
    async interrupt(jobId) {
      await pool.query(interrupt, [jobId]);
      await deleteBrokenOff(pool, jobId);
    },
    recount: (jobId, state, work) =>
      inTransaction(pool, async client => {
        const { rows } = await client.query(
          `${selectContent} WHERE job_id = $1 AND state = $2 AND gone_at IS NULL FOR UPDATE`,
          [jobId, state],
        );
        const [found] = rows;
        if (!found) {
          return false;
        }
        const content = await work(contentOf(found), createRecount(client, found.job_no));
        await client.query(`${noteContent} WHERE job_id = $1`, contentValues(jobId, content));
        return true;
      }),
  };
}

function countsOf({ total, valid, broken, blank, duplicate }: RowCounts): number[] {
  return [total, valid, broken, blank, duplicate];
}

function contentValues(jobId: ValidationJobId, content: JobContent): unknown[] {
  const { layout, header, columns, columnFacts, addressColumn, counts, addresses } = content;
  return [
    jobId,
    ...countsOf(counts),
    addresses,
    layout && JSON.stringify(layout),
    header,
    columns,
    JSON.stringify(columnFacts),
    addressColumn,
  ];
}
