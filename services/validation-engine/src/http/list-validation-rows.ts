import { type Guard, type Route, route } from '@mailproof/service-kit';
import { limits, listValidationRows } from '@mailproof/shared-types';
import { type ExportedJobs, exportedColumns } from '../domain/exported/exported-job.ts';
import { findExportedJob, rowNoOf } from './exported-job.ts';

export function listValidationRowsRoute(guard: Guard<unknown>, jobs: ExportedJobs): Route {
  return route(listValidationRows, guard, async ({ params: { accountId }, body: { source, after } }) => {
    const afterRowNo = after === undefined ? 0 : rowNoOf(after);
    const job = await findExportedJob(jobs, accountId, source);
    const total = await jobs.count(job, source);
    const rowNos = await jobs.list(job, source, afterRowNo, limits.exportKeysPerPageMax + 1);
    return {
      columns: exportedColumns(job, source),
      total,
      keys: rowNos.slice(0, limits.exportKeysPerPageMax).map(String),
      is_last: rowNos.length <= limits.exportKeysPerPageMax,
    };
  });
}
