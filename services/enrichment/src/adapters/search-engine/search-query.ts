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
import { closedVocabularies } from '../../domain/people-search/check-filters.ts';
import { keyOfCompanyName } from '../../domain/people-search/columns/company-columns.ts';
import { keyOfTitle } from '../../domain/people-search/columns/text-columns.ts';
import type { ListMembers, NamedMembers, PeopleCounts } from '../../domain/people-search/people-index.ts';
import { keyOf, startsAsked } from '../../domain/people-search/search-document.ts';
import { wordsNotAsked, wordsOfTitle } from '../../domain/titles/title-words.ts';

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

/** The most numbers that the engine accepts in one clause. */
const numbersPerClause = 65_536;

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

/** The body of a search for the total, and for facets, each under all filters but its own. */
export function countBody(asked: Asked, withFacets: boolean): object {
  const { always, never, byFacet } = clausesOf(asked);
  if (!withFacets) {
    const query = { bool: { filter: [...always, ...byFacet.values()], must_not: never } };
    return { size: 0, track_total_hits: true, query };
  }
  const clauses = [...byFacet.values()];
  // A person who fails two filters with facets counts nowhere.
  const nearly = { should: clauses, minimum_should_match: Math.max(clauses.length - 1, 0) };
  const own = ownFacets(asked.filters, byFacet);
  const shared = peopleFacetNames.filter(name => !own.includes(name));
  const under = (names: readonly PeopleFacetName[], filter: readonly Clause[]) => ({
    filter: filter.length > 0 ? { bool: { filter } } : { match_all: {} },
    aggs: Object.assign({}, ...names.map(tallyOf)),
  });
  return {
    size: 0,
    query: { bool: { filter: always, must_not: never, ...(clauses.length > 1 && nearly) } },
    aggs: {
      all: under(shared, clauses),
      ...Object.fromEntries(
        own.map(name => [
          name,
          under(
            [name],
            clauses.filter(clause => clause !== byFacet.get(name)),
          ),
        ]),
      ),
    },
  };
}

/** If all keywords are required, each one narrows the results: their facet covers only people who have all of them. */
function ownFacets(filters: PeopleFilters, byFacet: Clauses['byFacet']): readonly PeopleFacetName[] {
  return [...byFacet.keys()].filter(name => name !== 'keywords' || filters.keyword_match !== 'all');
}

function tallyOf(name: PeopleFacetName): object {
  const isClosed = (closedFacets as readonly string[]).includes(name);
  const size = isClosed
    ? closedVocabularies[name as keyof typeof closedVocabularies].length
    : limits.facetValuesMax + 1;
  const terms = { field: name, size, order: [{ _count: 'desc' }, { _key: 'asc' }] };
  return {
    [`${name}_values`]: { terms },
    ...(hasLists(name) && { [`${name}_unknown`]: { missing: { field: name } } }),
  };
}

/** Whether a person can have several values. */
function hasLists(name: PeopleFacetName): boolean {
  return name === 'keywords' || name === 'company_technologies';
}

interface Bucket {
  readonly key: string;
  readonly doc_count: number;
}

type Group = { readonly doc_count: number } & Readonly<
  Record<
    string,
    {
      readonly doc_count: number;
      readonly sum_other_doc_count: number;
      readonly buckets: readonly Bucket[];
    }
  >
>;

export interface CountAnswer {
  readonly hits: { readonly total?: { readonly value: number } };
  readonly aggregations?: Readonly<Record<string, Group>>;
}

/** Returns the counts, with the keys of values instead of their spellings. */
export function countsOf({ hits, aggregations }: CountAnswer): PeopleCounts {
  if (!aggregations) {
    return { total: hits.total?.value ?? 0 };
  }
  const all = aggregations['all'] as Group;
  const facet = (name: PeopleFacetName): PeopleFacet => {
    const group = aggregations[name] ?? all;
    const { buckets = [], sum_other_doc_count: others = 0 } = group[`${name}_values`] ?? {};
    const known = buckets.reduce((sum, { doc_count }) => sum + doc_count, others);
    const unknown = hasLists(name) ? (group[`${name}_unknown`]?.doc_count ?? 0) : group.doc_count - known;
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
  };
  return {
    total: all.doc_count,
    facets: Object.fromEntries(peopleFacetNames.map(name => [name, facet(name)])) as PeopleFacets,
  };
}

function clausesOf({ filters, members, skip = [] }: Asked): Clauses {
  if (members === undefined && (filters.saved_lists ?? filters.excluded_saved_lists) !== undefined) {
    throw new Error('The filters name saved lists, and the query has no members of them.');
  }
  const { job_title_match: mode = 'similar', company_founded: founded } = filters;
  const always = [
    filters.person_names && anyOf(filters.person_names.map(nameClause)),
    filters.company_names && terms('company_name', filters.company_names.map(keyOfCompanyName)),
    filters.company_domains && terms('company_domain', filters.company_domains),
    founded && { range: { company_founded: { gte: founded.min, lte: founded.max } } },
    members?.wanted && anyOf(memberClauses(members.wanted)),
  ];
  const never = [
    ...(filters.excluded_job_titles ?? []).map(title => titleClause(title, mode)),
    filters.excluded_company_domains && terms('company_domain', filters.excluded_company_domains),
    filters.excluded_company_technologies &&
      terms(
        'company_technologies',
        filters.excluded_company_technologies.map(value => keyOf('company_technologies', value)),
      ),
    ...(members ? memberClauses(members.excluded) : []),
    ...numbersIn('person_no', skip),
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
  if (name === 'job_titles') {
    const { job_title_match: mode = 'similar' } = filters;
    return anyOf(values.map(title => titleClause(title, mode)));
  }
  const isOpen = (openFacets as readonly string[]).includes(name);
  const keys = isOpen ? values.map(value => keyOf(name as (typeof openFacets)[number], value)) : values;
  return name === 'keywords' && filters.keyword_match === 'all'
    ? { bool: { filter: [...new Set(keys)].map(key => ({ term: { keywords: key } })) } }
    : terms(name, keys);
}

/** What `isSimilarTitle` and `isSameTitle` decide. */
function titleClause(title: string, mode: 'similar' | 'exact'): Clause {
  const same = { term: { job_titles: keyOfTitle(title) } };
  const words = wordsOfTitle(title);
  if (mode === 'exact' || words.size === 0) {
    return same;
  }
  const filter = [...words].map(word => ({ term: { title_words: word } }));
  return anyOf([same, { bool: { filter, must_not: [terms('title_words', wordsNotAsked(words))] } }]);
}

function nameClause(name: string): Clause {
  const starts = startsAsked(name);
  return starts.length === 0
    ? { match_none: {} }
    : { bool: { filter: starts.map(start => ({ term: { name_starts: start } })) } };
}

function memberClauses({ people, companies, domains }: ListMembers): readonly Clause[] {
  const byDomain = domains.length > 0 ? [terms('company_domain', domains)] : [];
  return [...numbersIn('person_no', people), ...numbersIn('company_no', companies), ...byDomain];
}

function numbersIn(field: string, numbers: readonly number[] | Int32Array): readonly Clause[] {
  const clauses: Clause[] = [];
  for (let from = 0; from < numbers.length; from += numbersPerClause) {
    clauses.push({ terms: { [field]: [...numbers.slice(from, from + numbersPerClause)] } });
  }
  return clauses;
}

function anyOf(should: readonly Clause[]): Clause {
  return should.length === 0 ? { match_none: {} } : { bool: { should, minimum_should_match: 1 } };
}

function terms(field: string, values: readonly string[]): Clause {
  return { terms: { [field]: values } };
}

function isClause(clause: Clause | undefined): clause is Clause {
  return clause !== undefined;
}
