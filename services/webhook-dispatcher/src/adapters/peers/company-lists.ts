import { type OperationClient, Problem } from '@mailproof/service-kit';
import { addCrmCompanies } from '@mailproof/shared-types';
import type { CompanyLists } from '../../domain/crm/imports/import-ports.ts';

/** The deadline for adding the most domains, in milliseconds. */
const deadlineMs = 30_000;

const refusals = { list_of_people: 'ofPeople', list_full: 'full' } as const;

/** Saved lists to which imports add companies, in the enrichment service. */
export function createCompanyLists(enrichment: OperationClient): CompanyLists {
  return {
    async add({ accountId, listId, importId }, domains, signal) {
      const params = { accountId, listId };
      const body = { import_id: importId, domains: [...domains] };
      try {
        const answer = await enrichment.call(addCrmCompanies, { params, body }, { deadlineMs, signal });
        const { refused, added, present } = answer;
        return refused === null ? { kind: 'added', added, present } : { kind: refusals[refused] };
      } catch (error) {
        if (error instanceof Problem && error.code === 'saved_list_not_found') {
          return { kind: 'gone' };
        }
        throw error;
      }
    },
  };
}
