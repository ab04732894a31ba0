import { PeopleColumns } from '../../domain/people-search/columns/people-columns.ts';
import type { ListMembers, NamedMembers, PeopleIndex } from '../../domain/people-search/people-index.ts';
import {
  sandboxCompanies,
  sandboxPeople,
  toIndexNo,
  toRecordNo,
} from '../../domain/sandbox/sandbox-records.ts';
import { simulateErrorOf } from '../../domain/sandbox/simulated-errors.ts';
import { ask } from './answer-question.ts';
import type { CopiedRecords } from './follow-store.ts';

/** The index of the sandbox: the same columns and the same search as of the store, over its few invented records. */
export function createSandboxIndex(records: CopiedRecords = 'people'): Omit<PeopleIndex, 'status'> {
  const columns = new PeopleColumns(sandboxPeople.length);
  columns.put(
    (records === 'people' ? sandboxPeople : companiesAsPeople).map(person => ({
      ...person,
      personNo: toIndexNo(person.personNo),
      companyNo: toIndexNo(person.companyNo),
    })),
    sandboxCompanies.map(company => ({ ...company, companyNo: toIndexNo(company.companyNo) })),
  );
  return {
    async count({ filters, members, facets = false, skip }) {
      simulateErrorOf(filters.company_domains, 'search');
      return ask(columns, 'count', {
        filters,
        members: membersOf(members),
        facets,
        skipped: numbersOf(skip),
      });
    },
    async page({ filters, members, after, limit, skip }) {
      simulateErrorOf(filters.company_domains, 'search');
      const page = ask(columns, 'page', {
        filters,
        members: membersOf(members),
        after: toIndexNo(after),
        limit,
        skipped: numbersOf(skip),
      });
      return { ...page, personNos: page.personNos.map(toRecordNo) };
    },
    async vocabulary() {
      return ask(columns, 'vocabulary', {});
    },
  };
}

/** Each company as a person who works there, as in the index of companies. */
const companiesAsPeople = sandboxCompanies.map(({ companyNo, country, region, city, keywords }) => ({
  ...{ personNo: companyNo, companyNo, country, region, city, keywords },
  ...{ fullName: '', jobTitle: null, seniority: null, department: null, companyName: null },
}));

function numbersOf(recordNos: readonly number[] | Int32Array = []): Int32Array {
  return Int32Array.from(recordNos, toIndexNo).sort();
}

function membersOf(members: NamedMembers | undefined): NamedMembers | undefined {
  const each = ({ people, companies, domains }: ListMembers) => ({
    domains,
    people: numbersOf(people),
    companies: numbersOf(companies),
  });
  return members && { wanted: members.wanted && each(members.wanted), excluded: each(members.excluded) };
}
