import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, stopCrmJob, type ValidationJobId } from '@mailproof/shared-types';

export function stopCrmJobRoute(
  guard: Guard<unknown>,
  stop: (accountId: AccountId, jobId: ValidationJobId) => Promise<unknown>,
): Route {
  return route(stopCrmJob, guard, async ({ params: { accountId, jobId } }) => {
    await stop(accountId, jobId);
    return { jobId };
  });
}
