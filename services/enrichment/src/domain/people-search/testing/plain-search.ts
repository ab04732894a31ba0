import {
  closedFacets,
  limits,
  type PeopleFacetName,
  type PeopleFilters,
  peopleFacetNames,
} from '@mailproof/shared-types';
import { wordsOfName } from '@mailproof/shared-types/name-words';
import { isSameTitle, isSimilarTitle, readTitle } from '../../titles/title-words.ts';
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
  const matchesTitle = (title: string) => {
    const held = person.jobTitle === null ? undefined : readTitle(person.jobTitle);
    const asked = readTitle(title);
    return held !== undefined && (mode === 'exact' ? isSameTitle(asked, held) : isSimilarTitle(asked, held));
  };
  const name = person.companyNo === null ? person.companyName : (person.company?.name ?? null);
  const domain = person.company?.domain ?? '';
  const keywords = new Set(person.keywords.map(keyOfText));
  const wanted = (filters.keywords ?? []).map(keyOfText);
  const plain = peopleFacetNames.filter(each => each !== 'job_titles' && each !== 'keywords');
  const wordsOfPerson = wordsOfName(person.fullName);
  return (
    (filters.person_names?.some(each => canPlace(wordsOfName(each), wordsOfPerson)) ?? true) &&
    (filters.job_titles?.some(matchesTitle) ?? true) &&
    !(filters.excluded_job_titles?.some(matchesTitle) ?? false) &&
    (filters.company_names?.some(
      each => name !== null && keyOfCompanyName(each) === keyOfCompanyName(name),
    ) ??
      true) &&
    (filters.company_domains?.includes(domain) ?? true) &&
    !(filters.excluded_company_domains?.includes(domain) ?? false) &&
    !valuesOf('company_technologies', person).some(value =>
      filters.excluded_company_technologies?.some(each => keyOfText(each) === keyOfText(value ?? '')),
    ) &&
    (filters.company_founded === undefined ||
      isWithin(person.company?.foundedYear ?? null, filters.company_founded)) &&
    (filters.keywords === undefined ||
      (filters.keyword_match === 'all'
        ? wanted.every(each => keywords.has(each))
        : wanted.some(each => keywords.has(each)))) &&
    plain.every(
      facet =>
        filters[facet] === undefined ||
        valuesOf(facet, person).some(
          value => value != null && filters[facet]?.some(each => keyOfText(each) === keyOfText(value)),
        ),
    )
  );
}

function isWithin(year: number | null, { min, max }: NonNullable<PeopleFilters['company_founded']>): boolean {
  return year !== null && !(min !== undefined && year < min) && !(max !== undefined && year > max);
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
