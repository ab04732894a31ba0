import { keptInBrowser } from '../../api/browser-session.ts';
import type { Filters } from './filter-fields.ts';
import { readFilters } from './search-filters.ts';

/** The filters of an unsaved search are in the URL, so that links and reloads keep them. */
export interface TriedFilters {
  filters?: Filters | undefined;
  /** Whether the filters are too long for a URL and are therefore stored in `sessionStorage`. */
  kept?: true | undefined;
}

/** The server would refuse a longer URL when the page is reloaded. */
const charactersMax = 5_000;

/** Reads the unsaved filters from a URL. */
export function readTried(search: Readonly<Record<string, unknown>>): TriedFilters {
  return { filters: readFilters(search['filters']), kept: search['kept'] === true || undefined };
}

/** Returns the unsaved filters, from the URL or from `sessionStorage`. */
export function triedFilters({ filters, kept }: TriedFilters, storage: Storage): Filters | undefined {
  if (!kept) return filters;
  try {
    return readFilters(JSON.parse(storage.getItem(keptInBrowser.triedFilters) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** Returns the query parameters for unsaved filters. */
export function addressOf(filters: Filters | undefined): TriedFilters {
  return isTooLong(filters) ? { filters: undefined, kept: true } : { filters, kept: undefined };
}

/** Stores the filters in `sessionStorage` if they are too long for a URL, and returns the query parameters. */
export function keepTried(filters: Filters | undefined, storage: Storage): TriedFilters {
  if (isTooLong(filters)) storage.setItem(keptInBrowser.triedFilters, JSON.stringify(filters));
  return addressOf(filters);
}

function isTooLong(filters: Filters | undefined): boolean {
  return filters !== undefined && encodeURIComponent(JSON.stringify(filters)).length > charactersMax;
}
