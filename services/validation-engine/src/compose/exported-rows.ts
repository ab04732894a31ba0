import type { Guard, Route } from '@mailproof/service-kit';
import { listValidationRows, type Operation, readValidationRows } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createExportedJobs } from '../adapters/postgres/exported-jobs.ts';
import { listValidationRowsRoute } from '../http/list-validation-rows.ts';
import { readValidationRowsRoute } from '../http/read-validation-rows.ts';

/** Rows of validation jobs as the webhook dispatcher reads them for exports. */
export function composeExportedRows(
  pool: Pool,
  guardOf: (operation: Operation) => Guard<unknown>,
): { readonly routes: readonly Route[] } {
  const jobs = createExportedJobs(pool);
  return {
    routes: [
      listValidationRowsRoute(guardOf(listValidationRows), jobs),
      readValidationRowsRoute(guardOf(readValidationRows), jobs),
    ],
  };
}
