import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, listValidationJobRows } from '@mailproof/shared-types';
import type { JobViews } from '../domain/intake/job-view.ts';
import { rowAnswer } from './job-answer.ts';

const operation = forwarded(listValidationJobRows);

export function listValidationJobRowsRoute(guard: Guard<unknown>, rows: JobViews['rows']): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId }, query }) => {
    const page = await rows(accountId, jobId, query);
    if (!page) {
      throw new Problem('job_not_found');
    }
    return { rows: page.rows.map(rowAnswer), next_cursor: page.nextCursor };
  });
}
