import { hasEnded } from '@mailproof/paid-runs';
import { type Follow, type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type DiscoveryRunId, followDiscoveryRun, forwarded } from '@mailproof/shared-types';
import type { Run } from '../domain/discovery/run.ts';
import { runAnswer } from './run-answer.ts';

const operation = forwarded(followDiscoveryRun);

export function followDiscoveryRunRoute(
  guard: Guard<unknown>,
  find: (accountId: AccountId, runId: DiscoveryRunId) => Promise<Run | undefined>,
  follow: Follow,
): Route {
  return route(operation, guard, async ({ params: { accountId, run_id: runId } }, context) => {
    if (!(await find(accountId, runId))) {
      throw new Problem('run_not_found');
    }
    return follow(accountId, context, {
      find: () => find(accountId, runId),
      hasEnded,
      event: 'run',
      answer: runAnswer,
    });
  });
}
