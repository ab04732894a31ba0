import { type Guard, type Route, readRequestKey, route } from '@mailproof/service-kit';
import { beginPeopleSearch, forwarded } from '@mailproof/shared-types';
import { beginPeopleSearch as begin, type PeopleSearchPorts } from '../domain/discovery/people-search.ts';
import { previewOrProblem } from './search-answer.ts';
import { orSearchProblem } from './search-problem.ts';

const operation = forwarded(beginPeopleSearch);

export function beginPeopleSearchRoute(guard: Guard<unknown>, ports: PeopleSearchPorts): Route {
  return route(operation, guard, async ({ params: { accountId, userId }, body }, context) => {
    const key = readRequestKey(beginPeopleSearch, accountId, body, context);
    const { name, filters, credits_max: creditsMax } = body;
    const outcome = await orSearchProblem(
      begin(ports, { accountId, userId, name, filters, creditsMax, key }),
      '/filters',
    );
    return previewOrProblem(outcome);
  });
}
