import { type Guard, type Route, route } from '@mailproof/service-kit';
import { countPeople, forwarded } from '@mailproof/shared-types';
import type { PeopleIndex } from '../domain/people-search/people-index.ts';
import { orSearchProblem } from './search-problem.ts';

const twin = forwarded(countPeople);

export function countPeopleRoute(guard: Guard<unknown>, index: PeopleIndex): Route {
  return route(twin, guard, async ({ body }) => {
    const { total, facets } = await orSearchProblem(
      index.count({ filters: body.filters, facets: true }),
      '/filters',
    );
    if (!facets) {
      throw new Error('The people index left out the facets.');
    }
    return { total, facets };
  });
}
