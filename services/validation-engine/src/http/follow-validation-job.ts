import { hasEnded } from '@mailproof/paid-runs';
import { type Follow, type Guard, type Route, route } from '@mailproof/service-kit';
import { followValidationJob, forwarded } from '@mailproof/shared-types';
import { type FindJob, foundJob } from './found-job.ts';

const operation = forwarded(followValidationJob);

export function followValidationJobRoute(guard: Guard<unknown>, find: FindJob, follow: Follow): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId } }, context) => {
    await foundJob(find, accountId, jobId);
    return follow(accountId, context, {
      find: () => find(accountId, jobId),
      hasEnded,
      event: 'job',
      answer: job => job,
    });
  });
}
