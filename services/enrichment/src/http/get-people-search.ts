import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, getPeopleSearch } from '@mailproof/shared-types';
import { getPeopleSearch as get, type PeopleSearchPorts } from '../domain/discovery/people-search.ts';
import { previewAnswer } from './search-answer.ts';
import { orSearchProblem } from './search-problem.ts';

const operation = forwarded(getPeopleSearch);

export function getPeopleSearchRoute(guard: Guard<unknown>, ports: PeopleSearchPorts): Route {
  return route(operation, guard, async ({ params: { accountId, search_id: searchId } }) => {
    const previewed = await orSearchProblem(get(ports, accountId, searchId), '');
    if (!previewed) {
      throw new Problem('search_not_found');
    }
    return previewAnswer(previewed);
  });
}
