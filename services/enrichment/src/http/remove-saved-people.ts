import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, removeSavedPeople } from '@mailproof/shared-types';
import type { SavedPeople } from '../domain/saved/saved-records.ts';

const operation = forwarded(removeSavedPeople);

export function removeSavedPeopleRoute(
  guard: Guard<unknown>,
  { remove }: Pick<SavedPeople, 'remove'>,
): Route {
  return route(operation, guard, ({ params: { accountId }, body }) => remove(accountId, body.person_ids));
}
