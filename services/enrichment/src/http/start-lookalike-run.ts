import { type Guard, publicRequestId, type Route, readRequestKey, route } from '@mailproof/service-kit';
import { forwarded, limits, startLookalikeRun } from '@mailproof/shared-types';
import type { RunRequest, StartOutcome } from '../domain/discovery/start-run.ts';
import { answeringProblems } from './lookalike-problems.ts';
import { runOrProblem } from './start-outcome.ts';

export function startLookalikeRunRoute(
  guard: Guard<unknown>,
  start: (request: RunRequest) => Promise<StartOutcome>,
): Route {
  return route(forwarded(startLookalikeRun), guard, async ({ params, body }, context) => {
    const { accountId, userId, search_id: searchId } = params;
    const key = readRequestKey(startLookalikeRun, accountId, { searchId, ...body }, context);
    const outcome = await answeringProblems([], () =>
      start({
        accountId,
        userId,
        searchId,
        kind: 'lookalikes',
        records: body.companies,
        recordsMax: limits.companiesPerRunMax,
        listId: body.list_id ?? null,
        requestId: key ? null : publicRequestId(context),
        key,
      }),
    );
    return runOrProblem(outcome);
  });
}
