import { type Guard, publicRequestId, type Route, readRequestKey, route } from '@mailproof/service-kit';
import { forwarded, limits, startDiscoveryRun } from '@mailproof/shared-types';
import type { RunRequest, StartOutcome } from '../domain/discovery/start-run.ts';
import { orSearchProblem } from './search-problem.ts';
import { runOrProblem } from './start-outcome.ts';

const operation = forwarded(startDiscoveryRun);

export function startDiscoveryRunRoute(
  guard: Guard<unknown>,
  start: (request: RunRequest) => Promise<StartOutcome>,
): Route {
  return route(operation, guard, async ({ params, body }, context) => {
    const { accountId, userId, search_id: searchId } = params;
    const key = readRequestKey(startDiscoveryRun, accountId, { searchId, ...body }, context);
    const outcome = await orSearchProblem(
      start({
        accountId,
        userId,
        searchId,
        kind: 'people',
        records: body.people,
        recordsMax: limits.peoplePerRunMax,
        listId: body.list_id ?? null,
        requestId: key ? null : publicRequestId(context),
        key,
      }),
      '',
    );
    return runOrProblem(outcome);
  });
}
