import { type Handlers, Problem } from '@mailproof/service-kit';
import type { SavedLists, SavedPeople } from '../domain/saved/saved-records.ts';

/** Handlers of lists of saved people or companies. */
export function savedListHandlers(lists: SavedLists, people: Pick<SavedPeople, 'list'>) {
  return {
    async createSavedList({ params: { accountId, callerId: creatorId }, body }) {
      const list = await lists.create(accountId, creatorId, body);
      if (list === 'nameTaken' || list === 'tooMany') {
        throw new Problem(list === 'nameTaken' ? 'list_name_taken' : 'too_many_lists');
      }
      return list;
    },

    async listSavedLists({ params: { accountId }, query }) {
      const found = await lists.list(accountId, query);
      return { lists: found.lists, next_cursor: found.nextCursor };
    },

    async getSavedList({ params: { accountId, list_id: listId } }) {
      const list = await lists.find(accountId, listId);
      if (!list) {
        throw new Problem('saved_list_not_found');
      }
      return list;
    },

    async changeSavedList({ params: { accountId, list_id: listId }, body }) {
      const list = await lists.change(accountId, listId, body);
      if (list === 'nameTaken' || list === 'gone') {
        throw new Problem(list === 'nameTaken' ? 'list_name_taken' : 'saved_list_not_found');
      }
      return list;
    },

    async deleteSavedList({ params: { accountId, list_id: listId } }) {
      if (!(await lists.delete(accountId, listId))) {
        throw new Problem('saved_list_not_found');
      }
      return { done: true } as const;
    },

    async listListEntries({ params: { accountId, list_id: listId }, query }) {
      const list = await lists.find(accountId, listId);
      if (!list) {
        throw new Problem('saved_list_not_found');
      }
      if (list.kind === 'people') {
        const page = await people.list(accountId, { ...query, list_id: listId });
        return { kind: 'people', people: page.people, next_cursor: page.nextCursor } as const;
      }
      const page = await lists.listCompanies(accountId, listId, query);
      return { kind: 'companies', companies: page.companies, next_cursor: page.nextCursor } as const;
    },

    async addListEntries({ params: { accountId, list_id: listId }, body }) {
      const added = await lists.addEntries(accountId, listId, body.ids);
      if (added === undefined) {
        throw new Problem('saved_list_not_found');
      }
      return { added };
    },

    async removeListEntries({ params: { accountId, list_id: listId }, body }) {
      const removed = await lists.removeEntries(accountId, listId, body.ids);
      if (removed === undefined) {
        throw new Problem('saved_list_not_found');
      }
      return { removed };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}
