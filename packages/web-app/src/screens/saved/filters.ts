import { departments, limits, seniorities } from '@mailproof/shared-types';

export const sorts = ['saved_at', 'name', 'company'] as const;

/** By what saved records are filtered and sorted. */
export interface SavedFilters {
  readonly text?: string | undefined;
  readonly seniority?: (typeof seniorities)[number] | undefined;
  readonly department?: (typeof departments)[number] | undefined;
  readonly company?: string | undefined;
  readonly country?: string | undefined;
  readonly sort?: (typeof sorts)[number] | undefined;
}

/** What stands in the address of a screen of saved records. */
export interface SavedSearch extends SavedFilters {
  /** Whose record is open. */
  readonly open?: string | undefined;
}

/** What an address says, as far as it makes sense. */
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

/** The same without filters. */
export const noFilters: SavedFilters = savedSearch({});

/** What the API is asked: filters that are set, and none that is not. */
export function filterQuery({ text, seniority, department, company, country, sort }: SavedFilters) {
  const filters = { text, seniority, department, company, country, sort };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [Name in keyof typeof filters]?: NonNullable<(typeof filters)[Name]>;
  };
}

/** How many filters are set; the order is none. */
export function filtersSet({ sort: _sort, ...filters }: SavedFilters): number {
  return Object.keys(filterQuery(filters)).length;
}

// An address may be cut and pasted: a number in it is what somebody sought, too.
function shortText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return String(value).trim().slice(0, limits.filterValueCharactersMax) || undefined;
}
