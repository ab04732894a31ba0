import { type Guard, type Route, route } from '@mailproof/service-kit';
import { readValidationRows } from '@mailproof/shared-types';
import { type ExportedJobs, exportedColumns, exportedValues } from '../domain/exported/exported-job.ts';
import { findExportedJob, rowNoOf } from './exported-job.ts';

export function readValidationRowsRoute(guard: Guard<unknown>, jobs: ExportedJobs): Route {
  return route(readValidationRows, guard, async ({ params: { accountId }, body: { source, keys } }) => {
    const rowNos = keys.map(rowNoOf);
    const job = await findExportedJob(jobs, accountId, source);
    const rows = await jobs.read(job, rowNos);
    return {
      columns: exportedColumns(job, source),
      rows: rows.flatMap((row, at) =>
        row ? [{ key: String(rowNos[at]), values: exportedValues(job, source, row) }] : [],
      ),
      keys_read: rows.length,
    };
  });
}
