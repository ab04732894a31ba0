import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, cancelDiscoveryRun, type DiscoveryRunId, forwarded } from '@mailproof/shared-types';
import type { Run } from '../domain/discovery/run.ts';
import { runAnswer } from './run-answer.ts';

const operation = forwarded(cancelDiscoveryRun);

export function cancelDiscoveryRunRoute(
  guard: Guard<unknown>,
  cancel: (accountId: AccountId, runId: DiscoveryRunId) => Promise<Run | undefined>,
): Route {
  return route(operation, guard, async ({ params: { accountId, run_id: runId } }) => {
    const run = await cancel(accountId, runId);
    if (!run) {
      throw new Problem('run_not_found');
    }
    return runAnswer(run);
  });
}
