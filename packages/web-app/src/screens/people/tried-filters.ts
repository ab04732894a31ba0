import { keptInBrowser } from '../../api/kept-in-browser.ts';
import { type Filters, readFilters } from './people-filters.ts';

/** Filters that are being tried stand in the address, so that they can be linked to and outlive a reload. */
export interface TriedFilters {
  filters?: Filters | undefined;
  /** Whether they are too many for an address, and so are kept by this tab. */
  kept?: true | undefined;
}

/** A longer address would be refused by the server when it is asked for again. */
const charactersMax = 5_000;

/** What the address of a screen says of the filters that are tried there. */
export function readTried(search: Readonly<Record<string, unknown>>): TriedFilters {
  return { filters: readFilters(search['filters']), kept: search['kept'] === true || undefined };
}

/** The filters that are tried, as they were left. */
export function triedFilters({ filters, kept }: TriedFilters, storage: Storage): Filters | undefined {
  if (!kept) return filters;
  try {
    return readFilters(JSON.parse(storage.getItem(keptInBrowser.triedFilters) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** What the address has to say of filters that are tried. */
export function addressOf(filters: Filters | undefined): TriedFilters {
  return isTooLong(filters) ? { filters: undefined, kept: true } : { filters, kept: undefined };
}

/** Keeps the filters where they can be read again, and answers what the address has to say. */
export function keepTried(filters: Filters | undefined, storage: Storage): TriedFilters {
  if (isTooLong(filters)) storage.setItem(keptInBrowser.triedFilters, JSON.stringify(filters));
  return addressOf(filters);
}

function isTooLong(filters: Filters | undefined): boolean {
  return filters !== undefined && encodeURIComponent(JSON.stringify(filters)).length > charactersMax;
}
