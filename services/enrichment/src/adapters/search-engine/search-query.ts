import {
  openFacets,
  type PeopleFacetName,
  type PeopleFilters,
  peopleFacetNames,
} from '@mailproof/shared-types';
import { excludedOf } from '../../domain/people-search/check-filters.ts';
import { keyOfCompanyName } from '../../domain/people-search/columns/company-columns.ts';
import { keyOfTitle } from '../../domain/people-search/columns/text-columns.ts';
import type { ListMembers, NamedMembers } from '../../domain/people-search/people-index.ts';
import { keyOf, listFacets, startsAsked } from '../../domain/people-search/search-document.ts';
import { readingsOf, wordsNotAsked } from '../../domain/titles/title-words.ts';

/** A query of the engine. */
export type Clause = Readonly<Record<string, unknown>>;

/** Filters as queries: those without a facet, and the one of each facet. */
interface Clauses {
  readonly always: readonly Clause[];
  readonly never: readonly Clause[];
  readonly byFacet: ReadonlyMap<PeopleFacetName, Clause>;
}

export interface Asked {
  readonly filters: PeopleFilters;
  readonly members?: NamedMembers | undefined;
  readonly skip?: readonly number[] | Int32Array | undefined;
}

/** Lists of more people and companies than this are sent once for all facets that have the same filters. */
const listedRepeatedMax = 2_000;

/** The most values that the engine accepts in one clause. */
const valuesPerClause = 65_536;

/**
 * Everyone. The engine approximates a query of all documents, or of one range, that stops early: it then stops too early
 * where documents were deleted, and leaves people out of pages.
 */
const everyone: Clause = { exists: { field: 'person_no' } };

/** The body of a search for a page of people. */
export function pageBody(asked: Asked, after: number, size: number): object {
  const { always, never, byFacet } = clausesOf(asked);
  return {
    size,
    _source: false,
    track_total_hits: false,
    query: { bool: { filter: [everyone, ...always, ...byFacet.values()], must_not: never } },
    sort: [{ person_no: 'asc' }],
    search_after: [after],
  };
}

/** People who match the same filters, and what is counted among them. */
export interface CountedSet {
  readonly facets: readonly PeopleFacetName[];
  readonly fields: readonly CountedField[];
  /** Undefined for everyone. */
  readonly query: Clause | undefined;
  /** Everyone else, if the query does nothing but exclude them. */
  readonly excluded: Clause | undefined;
  /** Whether the query is too long to be repeated for parts of the fields. */
  readonly isLong: boolean;
}

/** `known_lists` tells who has no values of a facet with lists. */
export type CountedField = PeopleFacetName | 'known_lists';

/** The people of the total, and of facets, each under all filters but its own; the first set has all filters. */
export function countedSets(asked: Asked, withFacets: boolean): readonly CountedSet[] {
  const { always, never, byFacet } = clausesOf(asked);
  const all = [...always, ...byFacet.values()];
  const isLong = listedIn(asked) > listedRepeatedMax;
  const own = withFacets ? ownFacets(asked.filters, byFacet) : [];
  const shared = withFacets ? peopleFacetNames.filter(name => !own.includes(name)) : [];
  const setOf = (facets: readonly PeopleFacetName[], filter: readonly Clause[]): CountedSet => ({
    facets,
    fields: [...facets, ...(facets.some(hasLists) ? ['known_lists' as const] : [])],
    ...queriesOf(filter, never),
    isLong,
  });
  return [
    setOf(shared, all),
    ...own.map(name =>
      setOf(
        [name],
        all.filter(clause => clause !== byFacet.get(name)),
      ),
    ),
  ];
}

function queriesOf(
  filter: readonly Clause[],
  never: readonly Clause[],
): Pick<CountedSet, 'query' | 'excluded'> {
  return {
    query: filter.length + never.length > 0 ? { bool: { filter, must_not: never } } : undefined,
    excluded: filter.length === 0 && never.length > 0 ? { bool: { filter: [anyOf(never)] } } : undefined,
  };
}

/** How many people and companies the lists of a query have. */
function listedIn({ members, skip = [] }: Asked): number {
  const lists = members ? [members.excluded, ...(members.wanted ? [members.wanted] : [])] : [];
  return lists.reduce(
    (sum, { people, companies, domains }) => sum + people.length + companies.length + domains.length,
    skip.length,
  );
}

/** If all keywords are required, each one narrows the results: their facet covers only people who have all of them. */
function ownFacets(filters: PeopleFilters, byFacet: Clauses['byFacet']): readonly PeopleFacetName[] {
  return [...byFacet.keys()].filter(name => name !== 'keywords' || filters.keyword_match !== 'all');
}

/** Whether a person can have several values. */
export function hasLists(name: PeopleFacetName): boolean {
  return (listFacets as readonly PeopleFacetName[]).includes(name);
}

function clausesOf({ filters, members, skip = [] }: Asked): Clauses {
  if (members === undefined && (filters.saved_lists ?? filters.excluded_saved_lists) !== undefined) {
    throw new Error('The filters name saved lists, and the query has no members of them.');
  }
  const always = [
    filters.person_names && anyOf(filters.person_names.map(nameClause)),
    filters.company_names && terms('company_name', filters.company_names.map(keyOfCompanyName)),
    filters.company_domains && terms('company_domain', filters.company_domains),
    filters.company_founded && within('company_founded', filters.company_founded),
    filters.company_funding && within('company_funding', filters.company_funding),
    members?.wanted && anyOf(memberClauses(members.wanted)),
  ];
  const never = [
    filters.excluded_person_names && anyOf(filters.excluded_person_names.map(nameClause)),
    filters.excluded_company_names &&
      terms('company_name', filters.excluded_company_names.map(keyOfCompanyName)),
    filters.excluded_company_domains && terms('company_domain', filters.excluded_company_domains),
    filters.excluded_company_founded && within('company_founded', filters.excluded_company_founded),
    filters.excluded_company_funding && within('company_funding', filters.excluded_company_funding),
    ...peopleFacetNames.flatMap(name => clausesOfAny(name, filters[excludedOf(name)] ?? [], filters)),
    ...(members ? memberClauses(members.excluded) : []),
    ...anyIn('person_no', skip),
  ];
  const byFacet = new Map<PeopleFacetName, Clause>();
  for (const name of peopleFacetNames) {
    const values = filters[name];
    if (values !== undefined) {
      byFacet.set(name, facetClause(name, values, filters));
    }
  }
  return { always: always.filter(isClause), never: never.filter(isClause), byFacet };
}

function facetClause(name: PeopleFacetName, values: readonly string[], filters: PeopleFilters): Clause {
  return name === 'keywords' && filters.keyword_match === 'all'
    ? { bool: { filter: [...new Set(values)].map(value => anyOf(clausesOfAny(name, [value], filters))) } }
    : anyOf(clausesOfAny(name, values, filters));
}

/** Clauses of which each person who has one of the values of a facet matches one. */
function clausesOfAny(
  name: PeopleFacetName,
  values: readonly string[],
  { job_title_match: mode = 'similar', keyword_terms: keywordTerms }: PeopleFilters,
): readonly Clause[] {
  if (values.length === 0) {
    return [];
  }
  if (name === 'job_titles') {
    return values.map(title => titleClause(title, mode));
  }
  const isOpen = (openFacets as readonly string[]).includes(name);
  const keys = isOpen ? values.map(value => keyOf(name as (typeof openFacets)[number], value)) : values;
  return name === 'keywords' && keywordTerms === 'words'
    ? [terms(name, keys), terms('keyword_parts', keys)]
    : [terms(name, keys)];
}

/** What `isSimilarTitle` and `isSameTitle` decide. */
function titleClause(title: string, mode: 'similar' | 'exact'): Clause {
  const same = { term: { job_titles: keyOfTitle(title) } };
  const readings = mode === 'exact' ? [] : readingsOf(title).filter(({ words }) => words.size > 0);
  const similar = readings.map(({ words }) => ({
    bool: {
      filter: [...words].map(word => ({ term: { title_words: word } })),
      must_not: [terms('title_words', wordsNotAsked(words))],
    },
  }));
  return anyOf([same, ...similar]);
}

function nameClause(name: string): Clause {
  const starts = startsAsked(name);
  return starts.length === 0
    ? { match_none: {} }
    : { bool: { filter: starts.map(start => ({ term: { name_starts: start } })) } };
}

function memberClauses({ people, companies, domains }: ListMembers): readonly Clause[] {
  return [
    ...anyIn('person_no', people),
    ...anyIn('company_no', companies),
    ...anyIn('company_domain', domains),
  ];
}

/** Clauses of which each person who has one of many values matches one. */
function anyIn(field: string, values: readonly (number | string)[] | Int32Array): readonly Clause[] {
  const clauses: Clause[] = [];
  for (let from = 0; from < values.length; from += valuesPerClause) {
    clauses.push({ terms: { [field]: [...values.slice(from, from + valuesPerClause)] } });
  }
  return clauses;
}

function within(field: string, { min, max }: NonNullable<PeopleFilters['company_founded']>): Clause {
  return { range: { [field]: { gte: min, lte: max } } };
}

function anyOf(should: readonly Clause[]): Clause {
  const [only] = should;
  if (only && should.length === 1) {
    return only;
  }
  return should.length === 0 ? { match_none: {} } : { bool: { should, minimum_should_match: 1 } };
}

function terms(field: string, values: readonly string[]): Clause {
  return { terms: { [field]: values } };
}

function isClause(clause: Clause | undefined): clause is Clause {
  return clause !== undefined;
}
