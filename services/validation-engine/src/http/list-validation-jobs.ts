import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listValidationJobs } from '@mailproof/shared-types';
import type { JobViews } from '../domain/intake/job-view.ts';
import { jobAnswer } from './job-answer.ts';

const operation = forwarded(listValidationJobs);

export function listValidationJobsRoute(guard: Guard<unknown>, list: JobViews['list']): Route {
  return route(operation, guard, async ({ params: { accountId }, query }) => {
    const { jobs, nextCursor } = await list(accountId, query);
    return { jobs: jobs.map(jobAnswer), next_cursor: nextCursor };
  });
}
