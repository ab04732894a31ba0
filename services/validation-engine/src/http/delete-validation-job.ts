import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { deleteValidationJob, forwarded } from '@mailproof/shared-types';
import type { JobRemoval } from '../domain/intake/job-removal.ts';
import type { JobViews } from '../domain/intake/job-view.ts';

const operation = forwarded(deleteValidationJob);

export function deleteValidationJobRoute(
  guard: Guard<unknown>,
  remove: JobRemoval['remove'],
  find: JobViews['find'],
): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId } }) => {
    if (!(await remove(accountId, jobId))) {
      throw new Problem((await find(accountId, jobId)) ? 'job_under_way' : 'job_not_found');
    }
    return { job_id: jobId };
  });
}
