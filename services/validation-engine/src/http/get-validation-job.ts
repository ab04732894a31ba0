import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, getValidationJob } from '@mailproof/shared-types';
import type { JobViews } from '../domain/intake/job-view.ts';
import { jobAnswer } from './job-answer.ts';

const operation = forwarded(getValidationJob);

export function getValidationJobRoute(guard: Guard<unknown>, find: JobViews['find']): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId } }) => {
    const job = await find(accountId, jobId);
    if (!job) {
      throw new Problem('job_not_found');
    }
    return jobAnswer(job);
  });
}
