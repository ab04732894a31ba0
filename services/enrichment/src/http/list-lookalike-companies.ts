import { type Guard, Problem, type Route, readCursor, route, writeCursor } from '@mailproof/service-kit';
import { forwarded, listLookalikeCompanies } from '@mailproof/shared-types';
import { z } from 'zod';
import { listCompanies, type SearchPorts } from '../domain/lookalike-search/search-operations.ts';
import { answeringProblems } from './lookalike-problems.ts';

/** Of Postgres' `integer`, which takes no other number. */
const integer = z
  .int()
  .nonnegative()
  .max(2 ** 31 - 1);
const position = z.tuple([integer, integer]).transform(([rank, companyNo]) => ({ rank, companyNo }));

export function listLookalikeCompaniesRoute(guard: Guard<unknown>, ports: SearchPorts): Route {
  return route(forwarded(listLookalikeCompanies), guard, async ({ params, query: { cursor, limit } }) => {
    const search = { accountId: params.accountId, searchId: params.search_id };
    const after = cursor === undefined ? undefined : readCursor(position, cursor);
    const page = await answeringProblems([], () => listCompanies(ports, search, after, limit));
    if (!page) {
      throw new Problem('search_not_found');
    }
    const { rows, next } = page;
    return {
      companies: [...rows],
      ...(next && { next_cursor: writeCursor([next.rank, next.companyNo]) }),
    };
  });
}
