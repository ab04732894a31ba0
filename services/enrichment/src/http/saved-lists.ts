import { type Handlers, Problem } from '@mailproof/service-kit';
import { type AccountId, limits, type SavedListId } from '@mailproof/shared-types';
import type { SavedFilters, SavedLists, SavedPeople } from '../domain/saved/saved-records.ts';

const filtersOfPeople = ['seniority', 'department', 'import_id'] as const;

/** Handlers of lists of saved people or companies, and of the companies that the account has paid for. */
export function savedListHandlers(lists: SavedLists, people: Pick<SavedPeople, 'list' | 'select'>) {
  /** Selects the records that match, of the kind of a list; those that are on `notOnList` are left out. */
  async function select(
    accountId: AccountId,
    listId: SavedListId,
    matching: SavedFilters,
    notOnList?: SavedListId,
  ) {
    const [list, from] = await Promise.all(
      [listId, matching.list_id ?? listId].map(id => lists.find(accountId, id)),
    );
    if (!list || from?.kind !== list.kind) {
      throw new Problem('saved_list_not_found');
    }
    if (list.kind === 'people') {
      return people.select(accountId, matching, notOnList);
    }
    const ofPeople = filtersOfPeople.filter(filter => matching[filter] !== undefined);
    if (ofPeople.length > 0) {
      // Ignored, they would select too many.
      throw new Problem('invalid_request', {
        detail: `The list contains companies, which have no ${ofPeople.join(', ')}.`,
      });
    }
    return lists.selectCompanies(accountId, matching, notOnList);
  }
  async function addDomains(accountId: AccountId, listId: SavedListId, domains: readonly string[]) {
    const added = await lists.addDomains(accountId, listId, domains);
    switch (added) {
      case undefined:
        throw new Problem('saved_list_not_found');
      case 'ofPeople':
        throw new Problem('invalid_request', {
          detail: 'The list contains people: give `ids` or `matching`.',
        });
      case 'full':
        throw new Problem('invalid_request', {
          detail: `A list holds at most ${limits.listDomainsMax.toLocaleString('en')} domains.`,
        });
      default:
        return { added, more: false };
    }
  }
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
        return {
          kind: 'people',
          people: page.people,
          total: page.total,
          next_cursor: page.nextCursor,
        } as const;
      }
      const { companies, total, nextCursor } = await lists.listCompanies(accountId, {
        ...query,
        list_id: listId,
      });
      return { kind: 'companies', companies, total, next_cursor: nextCursor } as const;
    },

    async listSavedCompanies({ params: { accountId }, query }) {
      const { list_id: listId } = query;
      if (listId !== undefined && (await lists.find(accountId, listId))?.kind !== 'companies') {
        throw new Problem('saved_list_not_found');
      }
      const { companies, total, nextCursor } = await lists.listCompanies(accountId, query);
      return { companies, total, next_cursor: nextCursor };
    },

    async listListDomains({ params: { accountId, list_id: listId }, query }) {
      if (!(await lists.find(accountId, listId))) {
        throw new Problem('saved_list_not_found');
      }
      const { domains, total, nextCursor } = await lists.listDomains(listId, query);
      return { domains, total, next_cursor: nextCursor };
    },

    async addListEntries({ params: { accountId, list_id: listId }, body }) {
      const { matching, domains } = body;
      if (domains) return addDomains(accountId, listId, domains);
      const { ids, more } = matching
        ? await select(accountId, listId, matching, listId)
        : { ids: body.ids ?? [], more: false };
      const added = await lists.addEntries(accountId, listId, ids);
      if (added === undefined) {
        throw new Problem('saved_list_not_found');
      }
      return { added, more };
    },

    async addCrmCompanies({ params: { accountId, listId }, body: { import_id: importId, domains } }) {
      const added = await lists.addDomains(accountId, listId, domains, importId);
      if (added === undefined) {
        throw new Problem('saved_list_not_found');
      }
      return typeof added === 'number'
        ? { refused: null, added, present: domains.length - added }
        : { refused: added === 'full' ? 'list_full' : 'list_of_people', added: 0, present: 0 };
    },

    async removeListEntries({ params: { accountId, list_id: listId }, body }) {
      if (body.domains) {
        if (!(await lists.find(accountId, listId))) {
          throw new Problem('saved_list_not_found');
        }
        return { removed: await lists.removeDomains(accountId, listId, body.domains), more: false };
      }
      const { ids, more } = body.matching
        ? await select(accountId, listId, { ...body.matching, list_id: listId })
        : { ids: body.ids ?? [], more: false };
      const removed = await lists.removeEntries(accountId, listId, ids);
      if (removed === undefined) {
        throw new Problem('saved_list_not_found');
      }
      return { removed, more };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}
