import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, listLookalikeCompanies } from '@mailproof/shared-types';
import { listCompanies, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';
import { companyCursorOf, readCompanyCursor } from './lookalike-cursors.ts';
import { answeringProblems } from './lookalike-problems.ts';

export function listLookalikeCompaniesRoute(guard: Guard<unknown>, ports: SearchPorts): Route {
  return route(forwarded(listLookalikeCompanies), guard, async ({ params, query: { cursor, limit } }) => {
    const search = { accountId: params.accountId, searchId: params.search_id };
    const after = cursor === undefined ? undefined : readCompanyCursor(cursor);
    const page = await answeringProblems([], () => listCompanies(ports, search, after, limit));
    if (!page) {
      throw new Problem('search_not_found');
    }
    return { companies: [...page.rows], ...(page.next && { next_cursor: companyCursorOf(page.next) }) };
  });
}
