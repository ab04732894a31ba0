import { type Guard, Problem, type Route, readCursor, route, writeCursor } from '@mailproof/service-kit';
import { forwarded, listPeopleOfSearch } from '@mailproof/shared-types';
import { z } from 'zod';
import { listPeopleOfSearch as list, type PeopleSearchPorts } from '../domain/discovery/people-search.ts';
import { orSearchProblem } from './search-problem.ts';

const operation = forwarded(listPeopleOfSearch);

/** The last number that was shown (ADR 0029). */
const lastPersonNo = z.int().nonnegative();

export function listPeopleOfSearchRoute(guard: Guard<unknown>, ports: PeopleSearchPorts): Route {
  return route(operation, guard, async ({ params: { accountId, search_id: searchId }, query }) => {
    const after = query.cursor === undefined ? 0 : readCursor(lastPersonNo, query.cursor);
    const page = await orSearchProblem(list(ports, accountId, searchId, { after, limit: query.limit }), '');
    if (!page) {
      throw new Problem('search_not_found');
    }
    return {
      people: [...page.people],
      next_cursor: page.next === undefined ? undefined : writeCursor(page.next),
    };
  });
}
