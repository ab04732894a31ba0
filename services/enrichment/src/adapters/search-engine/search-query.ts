import {
  closedFacets,
  limits,
  openFacets,
  type PeopleFacet,
  type PeopleFacetName,
  type PeopleFacets,
  type PeopleFilters,
  peopleFacetNames,
} from '@mailproof/shared-types';
import { closedVocabularies, excludedOf } from '../../domain/people-search/check-filters.ts';
import { keyOfCompanyName } from '../../domain/people-search/columns/company-columns.ts';
import { keyOfTitle } from '../../domain/people-search/columns/text-columns.ts';
import type { ListMembers, NamedMembers, PeopleCounts } from '../../domain/people-search/people-index.ts';
import { keyOf, listFacets, startsAsked } from '../../domain/people-search/search-document.ts';
import { readingsOf, wordsNotAsked } from '../../domain/titles/title-words.ts';

/** A query of the engine. */
type Clause = Readonly<Record<string, unknown>>;

/** Filters as queries: those without a facet, and the one of each facet. */
interface Clauses {
  readonly always: readonly Clause[];
  readonly never: readonly Clause[];
  readonly byFacet: ReadonlyMap<PeopleFacetName, Clause>;
}

interface Asked {
  readonly filters: PeopleFilters;
  readonly members?: NamedMembers | undefined;
  readonly skip?: readonly number[] | Int32Array | undefined;
}

/** How many fields a search with filters counts: with fewer, more searches run in parallel, and read the filters again. */
const fieldsPerSearch = 4;

/** All fields that can be counted. */
const fieldsMax = peopleFacetNames.length + 1;

/**
 * How many values of a facet each of several shards counts: with more than are shown, a value that is frequent on the
 * whole is not left out where it is rare.
 */
const valuesPerShard = 500;

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

/** A search that counts people by some fields, for the facets that have the same filters. */
export interface CountSearch {
  readonly facets: readonly PeopleFacetName[];
  readonly fields: readonly CountedField[];
  readonly body: object;
}

/** `known_lists` tells who has no values of a facet with lists. */
type CountedField = PeopleFacetName | 'known_lists';

/**
 * The searches for the total, and for facets, each under all filters but its own; the first one has all filters. The
 * engine runs them in parallel, caches them by their filters, and leads each by its rarest filter. Where everyone matches
 * and no document of a segment is deleted, it reads the counts in its dictionary, but only for a search that counts one
 * field. Long lists of people are sent once for all fields that have the same filters.
 */
export function countSearches(
  asked: Asked,
  { withFacets, shards }: { readonly withFacets: boolean; readonly shards: number },
): readonly CountSearch[] {
  const { always, never, byFacet } = clausesOf(asked);
  const all = [...always, ...byFacet.values()];
  const isLong = listedIn(asked) > listedRepeatedMax;
  const searchesOf = (facets: readonly PeopleFacetName[], filter: readonly Clause[]): CountSearch[] => {
    const fields = [...facets, ...(facets.some(hasLists) ? ['known_lists' as const] : [])];
    const apart = filter.length + never.length > 0 ? fieldsPerSearch : 1;
    return partsOf(fields, isLong ? fieldsMax : apart).map(together => ({
      facets,
      fields: together,
      body: countBody(filter, never, together, shards),
    }));
  };
  const own = withFacets ? ownFacets(asked.filters, byFacet) : [];
  const shared = withFacets ? peopleFacetNames.filter(name => !own.includes(name)) : [];
  return [
    ...searchesOf(shared, all),
    ...own.flatMap(name =>
      searchesOf(
        [name],
        all.filter(clause => clause !== byFacet.get(name)),
      ),
    ),
  ];
}

/** Divides a list; an empty one has one part. */
function partsOf<Value>(values: readonly Value[], size: number): readonly (readonly Value[])[] {
  const parts = Math.max(Math.ceil(values.length / size), 1);
  return Array.from({ length: parts }, (_, at) => values.slice(at * size, (at + 1) * size));
}

function countBody(
  filter: readonly Clause[],
  never: readonly Clause[],
  fields: readonly CountedField[],
  shards: number,
) {
  return {
    size: 0,
    track_total_hits: true,
    ...(filter.length + never.length > 0 && { query: { bool: { filter, must_not: never } } }),
    ...(fields.length > 0 && {
      aggs: Object.fromEntries(
        fields.map(field => [field, { terms: { field, ...valuesOf(field, shards) } }]),
      ),
    }),
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

/** Which values of a field are counted, most frequent first. */
function valuesOf(field: CountedField, shards: number): object {
  if (field === 'known_lists') {
    return { size: 2 ** listFacets.length };
  }
  const isClosed = (closedFacets as readonly string[]).includes(field);
  const size = isClosed
    ? closedVocabularies[field as keyof typeof closedVocabularies].length
    : limits.facetValuesMax + 1;
  return {
    size,
    order: [{ _count: 'desc' }, { _key: 'asc' }],
    // One shard would read them all for nothing.
    ...(!isClosed && shards > 1 && { shard_size: valuesPerShard }),
  };
}

/** Whether a person can have several values. */
function hasLists(name: PeopleFacetName): boolean {
  return (listFacets as readonly PeopleFacetName[]).includes(name);
}

interface Bucket {
  readonly key: string;
  readonly doc_count: number;
}

export interface CountAnswer {
  readonly hits: { readonly total: { readonly value: number } };
  readonly aggregations?: Readonly<
    Record<string, { readonly sum_other_doc_count: number; readonly buckets: readonly Bucket[] }>
  >;
}

/** Returns the counts of the answers to all searches, with the keys of values instead of their spellings. */
export function countsOf(searches: readonly CountSearch[], answers: readonly CountAnswer[]): PeopleCounts {
  const total = (answers[0] as CountAnswer).hits.total.value;
  if (!searches.some(({ facets }) => facets.length > 0)) {
    return { total };
  }
  const counted = (name: PeopleFacetName, field: CountedField) => {
    const at = searches.findIndex(({ facets, fields }) => facets.includes(name) && fields.includes(field));
    const { hits, aggregations = {} } = answers[at] as CountAnswer;
    return { people: hits.total.value, ...aggregations[field] };
  };
  return {
    total,
    facets: Object.fromEntries(
      peopleFacetNames.map(name => [name, facetOf(name, field => counted(name, field))]),
    ) as PeopleFacets,
  };
}

interface Counted {
  readonly people: number;
  readonly buckets?: readonly Bucket[];
  readonly sum_other_doc_count?: number;
}

function facetOf(name: PeopleFacetName, counted: (field: CountedField) => Counted): PeopleFacet {
  const { people, buckets = [], sum_other_doc_count: others = 0 } = counted(name);
  let unknown = people - countOf(buckets) - others;
  if (hasLists(name)) {
    const lists = counted('known_lists');
    unknown =
      lists.people - countOf((lists.buckets ?? []).filter(({ key }) => key.split('+').includes(name)));
  }
  const values = buckets.map(({ key, doc_count }) => ({ value: key, count: doc_count }));
  if ((openFacets as readonly string[]).includes(name)) {
    const max = limits.facetValuesMax;
    return { values: values.slice(0, max), unknown, more: values.length > max };
  }
  const counts = new Map(values.map(({ value, count }) => [value, count]));
  const whole = closedVocabularies[name as keyof typeof closedVocabularies];
  return {
    values: whole.map(value => ({ value, count: counts.get(value) ?? 0 })),
    unknown,
    more: false,
  };
}

function countOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { doc_count }) => sum + doc_count, 0);
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
