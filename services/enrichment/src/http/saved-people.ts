import { type Handlers, Problem } from '@mailproof/service-kit';
import type { AccountId, SavedListId } from '@mailproof/shared-types';
import type { SavedLists, SavedPeople } from '../domain/saved/saved-records.ts';

/** Handlers of the people that an account has saved. */
export function savedPeopleHandlers(people: SavedPeople, lists: Pick<SavedLists, 'find'>) {
  async function checkList(accountId: AccountId, listId: SavedListId | undefined) {
    if (listId !== undefined && (await lists.find(accountId, listId))?.kind !== 'people') {
      throw new Problem('saved_list_not_found');
    }
  }
  return {
    async listSavedPeople({ params: { accountId }, query }) {
      await checkList(accountId, query.list_id);
      const { people: found, total, nextCursor } = await people.list(accountId, query);
      return { people: found, total, next_cursor: nextCursor };
    },

    async getSavedPerson({ params: { accountId, person_id: personId } }) {
      const person = await people.find(accountId, personId);
      if (!person) {
        throw new Problem('saved_person_not_found');
      }
      return person;
    },

    async removeSavedPeople({ params: { accountId }, body }) {
      if (body.matching) {
        await checkList(accountId, body.matching.list_id);
        return people.removeMatching(accountId, body.matching);
      }
      return { ...(await people.remove(accountId, body.person_ids ?? [])), more: false };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}
