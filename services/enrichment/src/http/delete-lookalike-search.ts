import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { deleteLookalikeSearch, forwarded } from '@mailproof/shared-types';
import type { LookalikeSearches } from '../domain/lookalike-search/lookalike-searches.ts';

export function deleteLookalikeSearchRoute(guard: Guard<unknown>, searches: LookalikeSearches): Route {
  return route(forwarded(deleteLookalikeSearch), guard, async ({ params }) => {
    switch (await searches.delete(params.accountId, params.search_id)) {
      case 'deleted':
        return { done: true as const };
      case 'notFound':
        throw new Problem('search_not_found');
      case 'runActive':
        throw new Problem('run_active');
    }
  });
}
