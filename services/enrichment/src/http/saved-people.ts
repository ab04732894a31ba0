import { type Handlers, Problem } from '@mailproof/service-kit';
import type { SavedLists, SavedPeople } from '../domain/saved/saved-records.ts';

/** Handlers of the people that an account has saved. */
export function savedPeopleHandlers(people: SavedPeople, lists: Pick<SavedLists, 'find'>) {
  return {
    async listSavedPeople({ params: { accountId }, query }) {
      if (query.list_id !== undefined && (await lists.find(accountId, query.list_id))?.kind !== 'people') {
        throw new Problem('saved_list_not_found');
      }
      const { people: found, nextCursor } = await people.list(accountId, query);
      return { people: found, next_cursor: nextCursor };
    },

    async getSavedPerson({ params: { accountId, person_id: personId } }) {
      const person = await people.find(accountId, personId);
      if (!person) {
        throw new Problem('saved_person_not_found');
      }
      return person;
    },

    removeSavedPeople: ({ params: { accountId }, body }) => people.remove(accountId, body.person_ids),
  } satisfies Partial<Handlers<'enrichment'>>;
}
