import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, summarizeValidationJob } from '@mailproof/shared-types';
import { summaryOf } from '../domain/intake/job-summary.ts';
import type { JobViews } from '../domain/intake/job-view.ts';

const operation = forwarded(summarizeValidationJob);

export function summarizeValidationJobRoute(guard: Guard<unknown>, groupsOf: JobViews['groups']): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId } }) => {
    const groups = await groupsOf(accountId, jobId);
    if (!groups) {
      throw new Problem('job_not_found');
    }
    return summaryOf(groups);
  });
}
