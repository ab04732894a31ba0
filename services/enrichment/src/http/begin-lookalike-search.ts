import { type Guard, type Route, route } from '@mailproof/service-kit';
import { beginLookalikeSearch, forwarded } from '@mailproof/shared-types';
import { beginSearch, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';
import { answeringProblems } from './lookalike-problems.ts';

export function beginLookalikeSearchRoute(guard: Guard<unknown>, ports: SearchPorts): Route {
  return route(forwarded(beginLookalikeSearch), guard, ({ params: { accountId, userId }, body }) => {
    const { name, ...asked } = body;
    return answeringProblems(body.seed_domains, () => beginSearch(ports, { accountId, userId, name }, asked));
  });
}
