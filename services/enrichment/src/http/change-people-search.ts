import { type Guard, type Route, route } from '@mailproof/service-kit';
import { changePeopleSearch, forwarded } from '@mailproof/shared-types';
import { changePeopleSearch as change, type PeopleSearchPorts } from '../domain/discovery/people-search.ts';
import { previewOrProblem } from './search-answer.ts';
import { orSearchProblem } from './search-problem.ts';

const operation = forwarded(changePeopleSearch);

export function changePeopleSearchRoute(guard: Guard<unknown>, ports: PeopleSearchPorts): Route {
  return route(operation, guard, async ({ params: { accountId, search_id: searchId }, body }) => {
    const { filters, credits_max: creditsMax } = body;
    const outcome = await orSearchProblem(
      change(ports, { accountId, searchId, filters, creditsMax }),
      '/filters',
    );
    return previewOrProblem(outcome);
  });
}
