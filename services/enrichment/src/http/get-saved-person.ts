import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { forwarded, getSavedPerson } from '@mailproof/shared-types';
import type { SavedPeople } from '../domain/saved/saved-records.ts';

const operation = forwarded(getSavedPerson);

export function getSavedPersonRoute(guard: Guard<unknown>, { find }: Pick<SavedPeople, 'find'>): Route {
  return route(operation, guard, async ({ params: { accountId, person_id: personId } }) => {
    const person = await find(accountId, personId);
    if (!person) {
      throw new Problem('saved_person_not_found');
    }
    return person;
  });
}
