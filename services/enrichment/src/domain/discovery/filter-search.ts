import { createHash } from 'node:crypto';
import type { RequestKey } from '@mailproof/durable-work';
import {
  type AccountId,
  type CreatorId,
  type DiscoverySearchId,
  newId,
  type PeopleFilters,
  prices,
} from '@mailproof/shared-types';
import type {
  FilterSearchStore,
  PreviewCause,
  PreviewCredits,
  PreviewPayment,
  StoredFilterSearch,
} from './filter-search-store.ts';
import {
  hashOfFilters,
  makePreview,
  type PreviewPage,
  type PreviewPorts,
  payPreview,
  readPreviewPage,
  returnUnlessUsed,
  type SearchPreview,
} from './search-preview.ts';

/** The ports of searches of one kind. */
export interface FilterSearchPorts<Row> extends PreviewPorts<Row> {
  readonly causes: { readonly begin: PreviewCause; readonly change: PreviewCause };
  readonly searches: FilterSearchStore;
  readonly credits: PreviewCredits;
}

export interface Previewed<Row> {
  readonly search: StoredFilterSearch;
  readonly preview: SearchPreview<Row>;
  readonly charge: {
    readonly kind: 'allowance' | 'credits' | 'repeated' | 'free';
    readonly credits: number;
  };
  readonly previewsLeft: number;
}

type PreviewMade<Row> = { readonly kind: 'previewed' } & Previewed<Row>;

export type PreviewOutcome<Row> =
  | PreviewMade<Row>
  | { readonly kind: 'costsCredits'; readonly required: number }
  | { readonly kind: 'tooFewCredits'; readonly required: number; readonly available: number }
  | { readonly kind: 'keyReused' | 'searchNotFound' | 'locked' | 'changed' };

/** Creates a search with a preview, which uses an allowance or costs credits. */
export async function beginFilterSearch<Row>(
  ports: FilterSearchPorts<Row>,
  request: {
    readonly accountId: AccountId;
    readonly creatorId: CreatorId;
    readonly name: string;
    readonly filters: PeopleFilters;
    readonly creditsMax: number;
    readonly key: RequestKey | null;
  },
): Promise<PreviewOutcome<Row>> {
  const { accountId, filters, key, creditsMax } = request;
  const earlier = await repeatedBegin(ports, accountId, key);
  if (earlier) {
    return earlier;
  }
  const searchId = key ? searchIdOf(accountId, key.hash) : newId('discoverySearch');
  const asked = { accountId, searchId, filters, filtersHash: hashOfFilters(filters) };
  // Made before any charge: a query that cannot be answered costs nothing.
  const preview = await makePreview(ports, accountId, filters);
  const toPay = { ...asked, creditsMax, cause: ports.causes.begin };
  const outcome = await charged(ports, toPay, preview, async payment => {
    const search = { ...asked, name: request.name, createdBy: request.creatorId, key };
    const created = await ports.searches.create(search, payment);
    return created ?? (await repeatedBegin(ports, accountId, key)) ?? { kind: 'changed' };
  });
  // A concurrent identical request may have used the last free preview, or the last credits.
  return outcome.kind === 'previewed' ? outcome : ((await repeatedBegin(ports, accountId, key)) ?? outcome);
}

/** Replaces the filters. Filters that the account has previewed are free; others are charged as a new preview. */
export async function changeFilterSearch<Row>(
  ports: FilterSearchPorts<Row>,
  request: {
    readonly accountId: AccountId;
    readonly searchId: DiscoverySearchId;
    readonly filters: PeopleFilters;
    readonly creditsMax: number;
  },
): Promise<PreviewOutcome<Row>> {
  const { accountId, searchId, filters, creditsMax } = request;
  const search = await ports.searches.find(accountId, searchId);
  if (!search) {
    return { kind: 'searchNotFound' };
  }
  if (search.state === 'locked') {
    return { kind: 'locked' };
  }
  const asked = { accountId, searchId, filters, filtersHash: hashOfFilters(filters) };
  const preview = await makePreview(ports, accountId, filters);
  const store = async (payment: PreviewPayment): Promise<StoredFilterSearch | PreviewOutcome<Row>> => {
    const changed = await ports.searches.change(asked, payment);
    if (changed === 'locked' || changed === 'gone') {
      return { kind: changed === 'locked' ? 'locked' : 'searchNotFound' };
    }
    return changed.wasPreviewed ? repeated(ports, accountId, changed.search, preview) : changed.search;
  };
  const toPay = { ...asked, creditsMax, cause: ports.causes.change };
  return charged(ports, toPay, preview, store);
}

/** Returns a search with its current preview. Undefined if the account has no such search. */
export async function getFilterSearch<Row>(
  ports: FilterSearchPorts<Row>,
  accountId: AccountId,
  searchId: DiscoverySearchId,
): Promise<Previewed<Row> | undefined> {
  const search = await ports.searches.find(accountId, searchId);
  return search && repeated(ports, accountId, search, await makePreview(ports, accountId, search.filters));
}

/** Returns a page of a search's preview. Undefined if the account has no such search. */
export async function listPreviewed<Row>(
  ports: FilterSearchPorts<Row>,
  accountId: AccountId,
  searchId: DiscoverySearchId,
  page: { readonly after: number; readonly limit: number },
): Promise<PreviewPage<Row> | undefined> {
  const search = await ports.searches.find(accountId, searchId);
  return search && readPreviewPage(ports, accountId, search.filters, page);
}

async function repeatedBegin<Row>(
  ports: FilterSearchPorts<Row>,
  accountId: AccountId,
  key: RequestKey | null,
): Promise<PreviewOutcome<Row> | undefined> {
  const earlier = key ? await ports.searches.findByKey(accountId, key.hash) : undefined;
  if (!earlier || !key) {
    return undefined;
  }
  if (!Buffer.from(key.requestHash).equals(earlier.requestHash)) {
    return { kind: 'keyReused' };
  }
  const preview = await makePreview(ports, accountId, earlier.search.filters);
  return repeated(ports, accountId, earlier.search, preview);
}

async function repeated<Row>(
  ports: FilterSearchPorts<Row>,
  accountId: AccountId,
  search: StoredFilterSearch,
  preview: SearchPreview<Row>,
): Promise<PreviewMade<Row>> {
  const { left } = await ports.credits.allowance(accountId);
  const charge = { kind: 'repeated', credits: 0 } as const;
  return { kind: 'previewed', search, preview, charge, previewsLeft: left };
}

/**
 * Pays unless the account has previewed the same filters, then stores; a hold is settled by the job that is stored with
 * the search. If `store` returns an outcome, it has not used the payment, which is then refunded.
 */
async function charged<Row>(
  ports: FilterSearchPorts<Row>,
  request: Omit<Parameters<typeof payPreview>[1], 'total'>,
  preview: SearchPreview<Row>,
  store: (payment: PreviewPayment) => Promise<StoredFilterSearch | PreviewOutcome<Row>>,
): Promise<PreviewOutcome<Row>> {
  const { accountId, filtersHash } = request;
  if (preview.total > 0 && (await ports.searches.hasPreviewed(accountId, filtersHash))) {
    const stored = await store({ kind: 'none' });
    return 'kind' in stored ? stored : repeated(ports, accountId, stored, preview);
  }
  const toPay = { ...request, total: preview.total };
  const paid = await payPreview(ports.credits, toPay);
  if (paid.kind !== 'paid') {
    return paid;
  }
  const { payment, left } = paid;
  const stored = await store(payment).catch(async (error: unknown) => {
    await returnUnlessUsed(ports, toPay, payment).catch(() => undefined);
    throw error;
  });
  if ('kind' in stored) {
    await returnUnlessUsed(ports, toPay, payment);
    return stored;
  }
  return { kind: 'previewed', search: stored, preview, charge: chargeOf(payment), previewsLeft: left };
}

function chargeOf({ kind }: PreviewPayment): Previewed<never>['charge'] {
  return { kind: kind === 'none' ? 'free' : kind, credits: kind === 'credits' ? prices.peoplePreview : 0 };
}

function searchIdOf(accountId: AccountId, keyHash: Uint8Array): DiscoverySearchId {
  const digest = createHash('sha256').update('search').update(accountId).update(keyHash).digest('hex');
  return `srch_${digest.slice(0, 32)}` as DiscoverySearchId;
}
