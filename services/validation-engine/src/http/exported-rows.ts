import { type Handlers, Problem } from '@mailproof/service-kit';
import { type AccountId, limits } from '@mailproof/shared-types';
import {
  type ExportedJob,
  type ExportedJobs,
  exportedColumns,
  exportedValues,
  type JobSource,
  uploadedFile,
} from '../domain/exported/exported-job.ts';

/**
 * The rows of validation jobs, which the webhook dispatcher reads for exports.
 *
 * @param leaveRoom notes that a user waits for the rows of an export, behind the answers of running lists
 */
export function exportedRowHandlers(jobs: ExportedJobs, leaveRoom: () => void) {
  return {
    async listValidationRows({ params: { accountId }, body: { source, after } }) {
      leaveRoom();
      const afterRowNo = after === undefined ? 0 : rowNoOf(after);
      const job = await findExportedJob(jobs, accountId, source);
      const all = await jobs.count(job, source);
      const page = await jobs.list(job, source, afterRowNo, limits.exportKeysPerPageMax);
      const file = uploadedFile(job);
      return {
        columns: exportedColumns(job, source),
        ...(file && { file }),
        total: all.rows,
        ...(!job.hasEnded && { open: page.open, open_total: all.open }),
        keys: page.rowNos.map(String),
        is_last: page.isLast,
      };
    },

    async readValidationRows({ params: { accountId }, body: { source, keys } }) {
      const rowNos = keys.map(rowNoOf);
      const job = await findExportedJob(jobs, accountId, source);
      const rows = await jobs.read(job, rowNos);
      const rowsBefore = job.layout?.hasHeader ? 1 : 0;
      return {
        columns: exportedColumns(job, source),
        rows: rows.flatMap((row, at) =>
          row
            ? [
                {
                  key: String(rowNos[at]),
                  number: (rowNos[at] ?? 0) - rowsBefore,
                  values: exportedValues(job, source, row),
                },
              ]
            : [],
        ),
        keys_read: rows.length,
      };
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}

const rowNumber = /^[1-9]\d{0,8}$/;

/** Finds the job of a source; throws a `Problem` if there is none to export. */
async function findExportedJob(
  jobs: Pick<ExportedJobs, 'find'>,
  accountId: AccountId,
  { job_id: jobId }: JobSource,
): Promise<ExportedJob> {
  const job = await jobs.find(accountId, jobId);
  if (job === undefined) {
    throw new Problem('export_source_not_found');
  }
  if (job === 'notStarted') {
    throw new Problem('export_source_not_ready');
  }
  return job;
}

/** The key of a row is its number. */
function rowNoOf(key: string): number {
  if (!rowNumber.test(key)) {
    throw new Problem('invalid_request', { detail: 'A key does not belong to a row of this source.' });
  }
  return Number(key);
}
