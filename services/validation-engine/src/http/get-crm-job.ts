import { type Guard, type Route, route } from '@mailproof/service-kit';
import { getCrmJob } from '@mailproof/shared-types';
import { type FindJob, foundJob } from './found-job.ts';

export function getCrmJobRoute(guard: Guard<unknown>, find: FindJob): Route {
  return route(getCrmJob, guard, ({ params: { accountId, jobId } }) => foundJob(find, accountId, jobId));
}
