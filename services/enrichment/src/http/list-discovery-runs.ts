import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listDiscoveryRuns } from '@mailproof/shared-types';
import type { RunViews } from '../domain/discovery/run-views.ts';
import { runAnswer } from './run-answer.ts';

const operation = forwarded(listDiscoveryRuns);

export function listDiscoveryRunsRoute(guard: Guard<unknown>, list: RunViews['list']): Route {
  return route(operation, guard, async ({ params: { accountId }, query }) => {
    const { runs, nextCursor } = await list(accountId, query);
    return { runs: runs.map(runAnswer), next_cursor: nextCursor };
  });
}
