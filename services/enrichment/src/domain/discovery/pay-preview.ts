import { createHash } from 'node:crypto';
import {
  type AccountId,
  type AllowanceUseId,
  type DiscoverySearchId,
  type PeopleFilters,
  prices,
} from '@mailproof/shared-types';
import type { PeopleSearchStore, StoredPeopleSearch } from './people-search-store.ts';
import type { PreviewCause, PreviewCredits, PreviewPayment } from './preview-credits.ts';

/** The preview that is to be paid for. */
export interface PreviewToPay {
  readonly accountId: AccountId;
  readonly searchId: DiscoverySearchId;
  readonly filtersHash: Uint8Array;
  readonly cause: PreviewCause;
  /** Credits that the preview may cost. */
  readonly creditsMax: number;
  /** People who match. */
  readonly total: number;
}

export type PreviewPaid =
  | { readonly kind: 'paid'; readonly payment: PreviewPayment; readonly left: number }
  | { readonly kind: 'costsCredits'; readonly required: number }
  | { readonly kind: 'tooFewCredits'; readonly required: number; readonly available: number };

/** Takes an allowance or holds credits. A preview that shows nobody is free. */
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
 * Gives back what was taken for a preview that this request did not write down. The same request at the same time may
 * have written it down: it has used the same allowance; and the same hold, unless that was settled already.
 */
export async function giveBackUnlessUsed(
  { searches, credits }: { readonly searches: PeopleSearchStore; readonly credits: PreviewCredits },
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
    await credits.giveBack(payment);
  }
}

export function isPreviewed({ previewed }: StoredPeopleSearch, filtersHash: Uint8Array): boolean {
  return previewed.some(hash => Buffer.from(filtersHash).equals(hash));
}

/** The same for the same filters, however they are written: members and values in order. */
export function hashOfFilters(filters: PeopleFilters): Uint8Array {
  const sorted = Object.entries(filters)
    .filter(([, values]) => values !== undefined)
    .map(([name, values]) => [name, Array.isArray(values) ? [...new Set(values)].sort() : values] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}

/** The same for the same search, filters and cycle, so that a request that is repeated takes one allowance. */
function useIdOf(searchId: DiscoverySearchId, filtersHash: Uint8Array, cycle: string): AllowanceUseId {
  const digest = createHash('sha256').update(`${searchId} ${cycle} `).update(filtersHash).digest('hex');
  return `use_${digest.slice(0, 32)}` as AllowanceUseId;
}
