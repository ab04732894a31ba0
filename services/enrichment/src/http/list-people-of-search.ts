import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, listPeopleOfSearch } from '@mailproof/shared-types';
import { listPeopleOfSearch as list, type PeopleSearchPorts } from '../domain/discovery/people-search.ts';
import { readPreviewCursor, writePreviewCursor } from './search-answer.ts';
import { orSearchProblem } from './search-problem.ts';

const operation = forwarded(listPeopleOfSearch);

export function listPeopleOfSearchRoute(guard: Guard<unknown>, ports: PeopleSearchPorts): Route {
  return route(operation, guard, async ({ params: { accountId, search_id: searchId }, query }) => {
    const after = readPreviewCursor(query.cursor);
    const page = await orSearchProblem(list(ports, accountId, searchId, { after, limit: query.limit }), '');
    if (!page) {
      throw new Problem('search_not_found');
    }
    return {
      people: [...page.people],
      next_cursor: page.next === undefined ? undefined : writePreviewCursor(page.next),
    };
  });
}
