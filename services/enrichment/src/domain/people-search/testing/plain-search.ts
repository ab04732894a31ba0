import {
  closedFacets,
  limits,
  type PeopleFacetName,
  type PeopleFilters,
  peopleFacetNames,
} from '@mailproof/shared-types';
import { wordsOfName } from '@mailproof/shared-types/name-words';
import { isSameTitle, isSimilarTitle, readingsOf, readTitle } from '../../titles/title-words.ts';
import { closedVocabularies } from '../check-filters.ts';
import { keyOfText } from '../columns/column.ts';
import { type IndexedCompany, keyOfCompanyName } from '../columns/company-columns.ts';
import type { IndexedPerson } from '../columns/people-columns.ts';
import type { ListMembers, NamedMembers } from '../people-index.ts';

/** A person joined with their company. */
interface Joined extends IndexedPerson {
  readonly company: IndexedCompany | undefined;
}

/** The same search, row by row and as simple as possible: the reference for the columns. */
export function plainSearch(
  people: readonly IndexedPerson[],
  companies: ReadonlyMap<number, IndexedCompany>,
  filters: PeopleFilters,
  skip: ReadonlySet<number> = new Set(),
  members?: NamedMembers,
) {
  const joined: Joined[] = people
    .filter(({ personNo }) => !skip.has(personNo))
    .map(person => ({ ...person, company: companies.get(person.companyNo ?? -1) }))
    .filter(person => isOn(person, members?.wanted) && !(members && isOn(person, members.excluded)));
  const found = joined.filter(person => matches(person, filters));
  const facets = Object.fromEntries(
    peopleFacetNames.map(name => {
      const own =
        name === 'keywords' && filters.keyword_match === 'all' ? filters : { ...filters, [name]: undefined };
      return [
        name,
        facetOf(
          name,
          joined.filter(person => matches(person, own)),
        ),
      ];
    }),
  );
  return { total: found.length, personNos: found.map(each => each.personNo).sort((a, b) => a - b), facets };
}

/** Whether a person or their company is on a list; everyone is if there is none. */
function isOn({ personNo, companyNo, company }: Joined, list: ListMembers | undefined): boolean {
  return (
    list === undefined ||
    list.people.includes(personNo) ||
    list.companies.includes(companyNo ?? -1) ||
    list.domains.includes(company?.domain ?? '')
  );
}

type ListFacet = 'keywords' | 'company_technologies';

function valuesOf(name: PeopleFacetName, person: Joined): readonly (string | null | undefined)[] {
  const single: Readonly<Record<Exclude<PeopleFacetName, ListFacet>, string | null | undefined>> = {
    seniorities: person.seniority,
    departments: person.department,
    company_sizes: person.company?.companySize,
    revenues: person.company?.revenue,
    company_types: person.company?.companyType,
    industries: person.company?.industry,
    countries: person.country,
    regions: person.region,
    cities: person.city,
    job_titles: person.jobTitle,
  };
  if (name === 'company_technologies') {
    return person.company?.technologies ?? [];
  }
  return name === 'keywords' ? person.keywords : [single[name]];
}

function matches(person: Joined, filters: PeopleFilters): boolean {
  const { job_title_match: mode = 'similar' } = filters;
  const has: Readonly<Record<PeopleFacetName, (value: string) => boolean>> = {
    ...(Object.fromEntries(
      peopleFacetNames.map(name => [
        name,
        (value: string) =>
          valuesOf(name, person).some(held => held != null && keyOfText(held) === keyOfText(value)),
      ]),
    ) as Record<PeopleFacetName, (value: string) => boolean>),
    job_titles: title => {
      const held = person.jobTitle === null ? undefined : readTitle(person.jobTitle);
      const isAlike = mode === 'exact' ? isSameTitle : isSimilarTitle;
      return held !== undefined && readingsOf(title).some(asked => isAlike(asked, held));
    },
    keywords: value =>
      person.keywords.some(held => hasKeyword(keyOfText(held), keyOfText(value), filters.keyword_terms)),
  };
  const name = person.companyNo === null ? person.companyName : (person.company?.name ?? null);
  const hasCompanyName = (each: string) => name !== null && keyOfCompanyName(each) === keyOfCompanyName(name);
  const domain = person.company?.domain ?? '';
  const founded = person.company?.foundedYear ?? null;
  const funding = person.company?.fundingUsd ?? null;
  const wordsOfPerson = wordsOfName(person.fullName);
  const hasName = (each: string) => canPlace(wordsOfName(each), wordsOfPerson);
  return (
    (filters.person_names?.some(hasName) ?? true) &&
    !filters.excluded_person_names?.some(hasName) &&
    (filters.company_names?.some(hasCompanyName) ?? true) &&
    !filters.excluded_company_names?.some(hasCompanyName) &&
    (filters.company_domains?.includes(domain) ?? true) &&
    !filters.excluded_company_domains?.includes(domain) &&
    (filters.company_founded === undefined || isWithin(founded, filters.company_founded)) &&
    !(filters.excluded_company_founded && isWithin(founded, filters.excluded_company_founded)) &&
    (filters.company_funding === undefined || isWithin(funding, filters.company_funding)) &&
    !(filters.excluded_company_funding && isWithin(funding, filters.excluded_company_funding)) &&
    (filters.keyword_match !== 'all' || (filters.keywords?.every(has.keywords) ?? true)) &&
    peopleFacetNames.every(
      facet => (filters[facet]?.some(has[facet]) ?? true) && !filters[`excluded_${facet}`]?.some(has[facet]),
    )
  );
}

/** Whether a keyword is the value or, if words are asked for, has the words of it one after the other. */
function hasKeyword(held: string, asked: string, terms: PeopleFilters['keyword_terms']): boolean {
  const [all, some] = [held.split(' '), asked.split(' ')];
  return (
    held === asked ||
    (terms === 'words' &&
      some.length <= limits.keywordPartWordsMax &&
      all.some((_, from) => some.every((word, at) => all[from + at] === word)))
  );
}

function isWithin(
  number: number | null,
  { min, max }: NonNullable<PeopleFilters['company_founded']>,
): boolean {
  return number !== null && !(min !== undefined && number < min) && !(max !== undefined && number > max);
}

/** Whether each requested word begins another word of the name, by trying every choice. */
function canPlace([asked, ...others]: readonly string[], held: readonly string[], isFirst = true): boolean {
  if (asked === undefined) {
    return !isFirst;
  }
  return held.some((word, at) => word.startsWith(asked) && canPlace(others, held.toSpliced(at, 1), false));
}

function facetOf(name: PeopleFacetName, people: readonly Joined[]) {
  const counts = new Map<string, number>();
  let unknown = 0;
  for (const person of people) {
    const values = new Set(valuesOf(name, person).filter(value => value != null));
    unknown += values.size === 0 ? 1 : 0;
    for (const value of values) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  if ((closedFacets as readonly string[]).includes(name)) {
    const vocabulary = closedVocabularies[name as keyof typeof closedVocabularies];
    return {
      values: vocabulary.map(value => ({ value, count: counts.get(value) ?? 0 })),
      unknown,
      more: false,
    };
  }
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  return {
    values: values.slice(0, limits.facetValuesMax),
    unknown,
    more: values.length > limits.facetValuesMax,
  };
}
