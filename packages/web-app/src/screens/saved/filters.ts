import {
  departments,
  limits,
  savedCompanySorts,
  seniorities,
  savedSorts as sorts,
} from '@mailproof/shared-types';

/** The filters and the sort order of saved records. */
export interface SavedFilters {
  readonly text?: string | undefined;
  readonly seniority?: (typeof seniorities)[number] | undefined;
  readonly department?: (typeof departments)[number] | undefined;
  readonly company?: string | undefined;
  readonly country?: string | undefined;
  readonly sort?: (typeof sorts)[number] | undefined;
}

/** The query parameters of a screen of saved records. */
export interface SavedSearch extends SavedFilters {
  /** The id of the open record. */
  readonly open?: string | undefined;
}

/** Reads the valid query parameters of a URL. */
export function savedSearch(search: Record<string, unknown>): SavedSearch {
  return {
    text: shortText(search['text']),
    seniority: seniorities.find(each => each === search['seniority']),
    department: departments.find(each => each === search['department']),
    company: shortText(search['company']),
    country: /^[A-Z]{2}$/.test(String(search['country'])) ? String(search['country']) : undefined,
    sort: sorts.find(each => each === search['sort'] && each !== 'saved_at'),
    open: typeof search['open'] === 'string' ? search['open'] : undefined,
  };
}

/** The query parameters without any filters. */
export const noFilters: SavedFilters = savedSearch({});

/** Leaves out what only people have, because the filter bar of companies does not show it. */
export function filtersOfCompanies({ text, country, sort }: SavedFilters) {
  return { ...noFilters, text, country, sort: savedCompanySorts.find(each => each === sort) };
}

/** Returns the query of the API request, with only the filters that are set. */
export function filterQuery({ text, seniority, department, company, country, sort }: SavedFilters) {
  const filters = { text, seniority, department, company, country, sort };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [Name in keyof typeof filters]?: NonNullable<(typeof filters)[Name]>;
  };
}

/** Returns the filters without the sort order, which selects the same records in any order. */
export function matchingOf({ sort: _sort, ...filters }: SavedFilters) {
  const { sort: _none, ...matching } = filterQuery(filters);
  return matching;
}

/** Returns the number of filters that are set; the sort order does not count. */
export function filtersSet({ sort: _sort, ...filters }: SavedFilters): number {
  return Object.keys(filterQuery(filters)).length;
}

// Users can edit the URL, so a number in it is also accepted as search text.
function shortText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return String(value).trim().slice(0, limits.filterValueCharactersMax) || undefined;
}

interface Tagged {
  readonly name: string;
  readonly tags: readonly string[];
}

/** Returns the distinct tags of all lists, sorted. */
export function tagsOf(lists: readonly Tagged[]): string[] {
  return [...new Set(lists.flatMap(({ tags }) => tags))].sort((one, other) => one.localeCompare(other, 'en'));
}

interface Sought {
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
}

/** Returns the lists that match part of the name and a tag. */
export function foundLists<List extends Tagged>(lists: readonly List[], { text, tag }: Sought): List[] {
  const part = text?.toLocaleLowerCase('en') ?? '';
  return lists.filter(
    list =>
      list.name.toLocaleLowerCase('en').includes(part) && (tag === undefined || list.tags.includes(tag)),
  );
}
