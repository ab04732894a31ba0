import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { changeLookalikeSearch, forwarded } from '@mailproof/shared-types';
import { changeSearch, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';
import { answeringProblems } from './lookalike-problems.ts';

export function changeLookalikeSearchRoute(guard: Guard<unknown>, ports: SearchPorts): Route {
  return route(forwarded(changeLookalikeSearch), guard, async ({ params, body }) => {
    const search = { accountId: params.accountId, searchId: params.search_id };
    const outcome = await answeringProblems(body.seed_domains, () => changeSearch(ports, search, body));
    switch (outcome.kind) {
      case 'changed':
        return outcome.view;
      case 'notFound':
        throw new Problem('search_not_found');
      case 'locked':
        throw new Problem('search_locked');
    }
  });
}
