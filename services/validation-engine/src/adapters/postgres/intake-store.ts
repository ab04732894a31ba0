import { inTransaction, type RowOf, traceParent } from '@mailproof/service-kit';
import { isSandboxAccount, limits, prices, type ValidationJobId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ColumnFacts } from '../../domain/intake/column-facts.ts';
import type { FileLayout, IntakeStore, JobContent } from '../../domain/intake/intake-job.ts';
import { sql } from './intake.sql.ts';
import { deleteBrokenOff, deleteJob } from './job-removal.ts';
import { createRecount, insertAddresses, insertRows } from './job-row-writer.ts';

export function createIntakeStore(pool: Pool): IntakeStore {
  const findUpload: IntakeStore['findUpload'] = async (accountId, uploadKey) => {
    const { rows } = await sql.find_upload(pool, {
      account_id: accountId,
      upload_key: Buffer.from(uploadKey),
    });
    const [found] = rows;
    return (
      found && {
        jobId: found.job_id as ValidationJobId,
        isReceiving: found.is_receiving,
        hash: found.upload_hash,
      }
    );
  };
  return {
    async begin({ jobId, accountId, createdBy, requestId, name, origin, createdAt, deletedAt, upload }) {
      const { rowCount } = await sql.begin_job(pool, {
        job_id: jobId,
        account_id: accountId,
        created_by: createdBy,
        request_id: requestId,
        name,
        origin,
        price: isSandboxAccount(accountId) ? 0 : prices.validation,
        created_at: createdAt,
        deleted_at: deletedAt,
        trace_parent: traceParent(),
        uploads_max: limits.uploadsAtOnceMax,
        unstarted_max: limits.unstartedJobsMax,
        upload_key: upload && Buffer.from(upload.key),
      });
      if (rowCount === 1) {
        return 'begun';
      }
      return upload && (await findUpload(accountId, upload.key)) ? 'keyInUse' : 'tooMany';
    },
    findUpload,
    async discardInterruptedUpload(accountId, uploadKey) {
      await sql.discard_interrupted_upload(pool, {
        account_id: accountId,
        upload_key: Buffer.from(uploadKey),
      });
    },
    append: (jobId, rows, counts) =>
      inTransaction(pool, async client => {
        const noted = await sql.note_rows(client, { job_id: jobId, ...counts });
        const jobNo = noted.rows[0]?.job_no;
        if (jobNo === undefined) {
          return false;
        }
        await insertAddresses(client, jobNo, rows);
        await insertRows(client, jobNo, rows);
        return true;
      }),
    async finish(jobId, content, uploadHash) {
      const { rowCount } = await sql.finish_job(pool, {
        ...contentValues(jobId, content),
        upload_hash: uploadHash && Buffer.from(uploadHash),
      });
      return rowCount === 1;
    },
    async discard(jobId) {
      const { rows } = await sql.discard_job(pool, { job_id: jobId });
      for (const { job_no: jobNo } of rows) {
        // The client gets its refusal in any case: the sweep deletes the rest of the job.
        await deleteJob(pool, jobNo).catch(() => undefined);
      }
    },
    async discardUnfinished(accountId, jobId) {
      // The next sweep deletes its rows.
      await sql.discard_unfinished_job(pool, { account_id: accountId, job_id: jobId });
    },
    async interrupt(jobId) {
      await sql.interrupt_job(pool, { job_id: jobId });
      await deleteBrokenOff(pool, jobId);
    },
    recount: (jobId, state, work) =>
      inTransaction(pool, async client => {
        const { rows } = await sql.lock_content(client, { job_id: jobId, state });
        const [found] = rows;
        if (!found) {
          return false;
        }
        const content = await work(contentOf(found), createRecount(client, found.job_no));
        await sql.note_content(client, contentValues(jobId, content));
        return true;
      }),
  };
}

function contentValues(jobId: ValidationJobId, content: JobContent) {
  const { layout, header, columns, columnFacts, addressColumn, counts, addresses } = content;
  return {
    job_id: jobId,
    ...counts,
    addresses,
    layout: layout && JSON.stringify(layout),
    header,
    columns,
    column_facts: JSON.stringify(columnFacts),
    address_column: addressColumn,
  };
}

/** Returns the content of a job from the columns of its row. */
export function contentOf(row: RowOf<typeof sql.lock_content>): JobContent {
  return {
    layout: layoutOf(row),
    header: row.header,
    columns: row.columns,
    columnFacts: row.column_facts as ColumnFacts[],
    addressColumn: row.address_column ?? 0,
    counts: {
      total: row.rows_total,
      valid: row.rows_valid,
      broken: row.rows_broken,
      blank: row.rows_blank,
      duplicate: row.rows_duplicate,
    },
    addresses: row.addresses,
  };
}

export function layoutOf({ layout }: { readonly layout: unknown }): FileLayout | null {
  return layout as FileLayout | null;
}
