import { createHash } from 'node:crypto';
import {
  type AccountId,
  type AllowanceUseId,
  type DiscoverySearchId,
  isSandboxAccount,
  limits,
  type PeopleFacets,
  type PeopleFilters,
  prices,
} from '@mailproof/shared-types';
import type { IndexOfAccount, PeopleCounts } from '../people-search/people-index.ts';
import { sandboxPageRows } from '../sandbox/sandbox-records.ts';
import type {
  FilterSearchStore,
  PreviewCause,
  PreviewCredits,
  PreviewPayment,
  StoredFilterSearch,
} from './filter-search-store.ts';

/** The dependencies of previews; a `Row` is what a preview shows of a person or a company. */
export interface PreviewPorts<Row> {
  readonly indexOf: IndexOfAccount;
  /** The numbers of the records that the account has paid for. */
  readonly savedNumbers: (accountId: AccountId) => Promise<Int32Array>;
  /** Returns what is shown of records in the store, in the order of the numbers. */
  readonly readPreviews: (accountId: AccountId, recordNos: readonly number[]) => Promise<readonly Row[]>;
}

/** The contents of a preview, without the search. */
export interface SearchPreview<Row> {
  readonly total: number;
  readonly facets: PeopleFacets;
  /** The values of filters that were read as others, if there are any. */
  readonly read?: PeopleCounts['read'];
  readonly alreadySaved: number;
  readonly page: PreviewPage<Row>;
}

export interface PreviewPage<Row> {
  readonly rows: readonly Row[];
  /** The last number shown; the next page begins after it. Undefined on the last page. */
  readonly next: number | undefined;
}

export async function makePreview<Row>(
  ports: PreviewPorts<Row>,
  accountId: AccountId,
  filters: PeopleFilters,
): Promise<SearchPreview<Row>> {
  const index = ports.indexOf(accountId);
  const limit = isSandboxAccount(accountId) ? sandboxPageRows : limits.pageRowsDefault;
  const skip = await ports.savedNumbers(accountId);
  const [all, unsaved, page] = await Promise.all([
    index.count({ filters, facets: true }),
    skip.length > 0 ? index.count({ filters, skip }) : undefined,
    readPreviewPage(ports, accountId, filters, { after: 0, limit }),
  ]);
  if (!all.facets) {
    throw new Error('The index has left out the facets.');
  }
  const alreadySaved = unsaved ? Math.max(0, all.total - unsaved.total) : 0;
  return { total: all.total, facets: all.facets, ...(all.read && { read: all.read }), alreadySaved, page };
}

/** Returns a page of the records that a preview may show: only the first ones, for any requested position. */
export async function readPreviewPage<Row>(
  ports: PreviewPorts<Row>,
  accountId: AccountId,
  filters: PeopleFilters,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PreviewPage<Row>> {
  const index = ports.indexOf(accountId);
  const shown = await index.page({ filters, after: 0, limit: limits.previewedPeopleMax });
  // Numbers of the sandbox are below zero, so 0 is the start and not a number.
  const left = shown.personNos.filter(personNo => after === 0 || personNo > after);
  const personNos = left.slice(0, limit);
  const rows = await ports.readPreviews(accountId, personNos);
  return { rows, next: left.length > limit ? personNos.at(-1) : undefined };
}

/** A preview to be paid for. */
interface PreviewToPay {
  readonly accountId: AccountId;
  readonly searchId: DiscoverySearchId;
  readonly filtersHash: Uint8Array;
  readonly cause: PreviewCause;
  /** The maximum number of credits that the preview may cost. */
  readonly creditsMax: number;
  /** The number of records that match. */
  readonly total: number;
}

type PreviewPaid =
  | { readonly kind: 'paid'; readonly payment: PreviewPayment; readonly left: number }
  | { readonly kind: 'costsCredits'; readonly required: number }
  | { readonly kind: 'tooFewCredits'; readonly required: number; readonly available: number };

/** Uses an allowance or holds credits. A preview that shows nothing is free. */
export async function payPreview(credits: PreviewCredits, preview: PreviewToPay): Promise<PreviewPaid> {
  const { accountId, cause } = preview;
  const { left, cycleStartsAt } = await credits.allowance(accountId);
  if (preview.total === 0) {
    return { kind: 'paid', payment: { kind: 'none' }, left };
  }
  const useId = useIdOf(preview.searchId, preview.filtersHash, cycleStartsAt ?? '');
  const taken = left > 0 ? await credits.takeAllowance(accountId, useId, cause) : undefined;
  if (taken?.taken) {
    return { kind: 'paid', payment: { kind: 'allowance', useId }, left: taken.left };
  }
  if (preview.creditsMax < prices.peoplePreview) {
    return { kind: 'costsCredits', required: prices.peoplePreview };
  }
  const hold = await credits.hold(accountId, useId, prices.peoplePreview, cause);
  return hold.kind === 'held'
    ? { kind: 'paid', payment: { kind: 'credits', holdId: hold.holdId }, left: 0 }
    : { kind: 'tooFewCredits', required: prices.peoplePreview, available: hold.available };
}

/**
 * Returns the payment for a preview that this request did not store. A concurrent identical request may have stored it:
 * it used the same allowance, or the same hold unless that was already settled.
 */
export async function returnUnlessUsed(
  { searches, credits }: { readonly searches: FilterSearchStore; readonly credits: PreviewCredits },
  { accountId, searchId, filtersHash }: PreviewToPay,
  payment: PreviewPayment,
): Promise<void> {
  if (payment.kind === 'none') {
    return;
  }
  const search = payment.kind === 'allowance' ? await searches.find(accountId, searchId) : undefined;
  const isUsed =
    payment.kind === 'credits'
      ? await searches.isCharging(payment.holdId)
      : search !== undefined && isPreviewed(search, filtersHash);
  if (!isUsed) {
    await credits.refund(accountId, payment);
  }
}

function isPreviewed({ previewed }: StoredFilterSearch, filtersHash: Uint8Array): boolean {
  return previewed.some(hash => Buffer.from(filtersHash).equals(hash));
}

/** Returns the same hash for equal filters, in any order of members and values. */
export function hashOfFilters(filters: PeopleFilters): Uint8Array {
  const sorted = Object.entries(filters)
    .filter(([, values]) => values !== undefined)
    .map(([name, values]) => [name, sortedValues(values)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}

function sortedValues(values: PeopleFilters[keyof PeopleFilters]): unknown {
  if (Array.isArray(values)) {
    return [...new Set(values)].sort();
  }
  return typeof values === 'object' ? [values.min ?? null, values.max ?? null] : values;
}

/** Returns the same ID for the same search, filters and cycle, so that a repeated request uses one allowance. */
function useIdOf(searchId: DiscoverySearchId, filtersHash: Uint8Array, cycle: string): AllowanceUseId {
  const digest = createHash('sha256').update(`${searchId} ${cycle} `).update(filtersHash).digest('hex');
  return `use_${digest.slice(0, 32)}` as AllowanceUseId;
}
