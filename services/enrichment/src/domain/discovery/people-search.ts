import { createHash } from 'node:crypto';
import {
  type AccountId,
  type AllowanceUseId,
  type DiscoveryRunId,
  type DiscoverySearchId,
  limits,
  newId,
  type PeopleFacets,
  type PeopleFilters,
  type PreviewedPerson,
  prices,
  type UserId,
} from '@mailproof/shared-types';
import type { PeopleIndex } from '../people-search/people-index.ts';
import type { PreviewCredits, PreviewPayment } from './preview-credits.ts';

/** A search for people, as it is written down. */
export interface StoredPeopleSearch {
  readonly searchId: DiscoverySearchId;
  readonly name: string;
  readonly filters: PeopleFilters;
  readonly state: 'preview' | 'locked';
  /** Hashes of the filters that it has been previewed with. */
  readonly previewed: readonly Uint8Array[];
  readonly hasMore: boolean | null;
  readonly lastAttemptFailedAt: Date | null;
  readonly activeRunId: DiscoveryRunId | null;
  readonly createdBy: UserId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where people searches are written down. */
export interface PeopleSearchStore {
  find(accountId: AccountId, searchId: DiscoverySearchId): Promise<StoredPeopleSearch | undefined>;
  findByKey(
    accountId: AccountId,
    keyHash: Uint8Array,
  ): Promise<{ readonly search: StoredPeopleSearch; readonly requestHash: Uint8Array } | undefined>;
  /** Writes the search down with the job that charges its preview; undefined where its key or id is used already. */
  create(
    search: {
      readonly searchId: DiscoverySearchId;
      readonly accountId: AccountId;
      readonly name: string;
      readonly filters: PeopleFilters;
      readonly filtersHash: Uint8Array;
      readonly createdBy: UserId;
      readonly key: RequestKey | null;
    },
    payment: PreviewPayment,
  ): Promise<StoredPeopleSearch | undefined>;
  /** Replaces the filters of a search that is not locked, with the job that charges the preview. */
  change(
    search: {
      readonly searchId: DiscoverySearchId;
      readonly accountId: AccountId;
      readonly filters: PeopleFilters;
      readonly filtersHash: Uint8Array;
    },
    payment: PreviewPayment,
  ): Promise<StoredPeopleSearch | 'locked' | 'gone'>;
}

/** What a request is known again by, when it comes with an `Idempotency-Key`. */
export interface RequestKey {
  readonly hash: Uint8Array;
  readonly requestHash: Uint8Array;
}

export interface PeopleSearchPorts {
  readonly index: Pick<PeopleIndex, 'count' | 'page'>;
  readonly searches: PeopleSearchStore;
  readonly credits: PreviewCredits;
  readonly savedNumbers: (accountId: AccountId) => Promise<Int32Array>;
  /** Previews of people who are in the store, in the order of the numbers. */
  readonly readPreviews: (
    accountId: AccountId,
    personNos: readonly number[],
  ) => Promise<readonly PreviewedPerson[]>;
}

/** What a preview shows, apart from the search. */
export interface PeoplePreview {
  readonly total: number;
  readonly facets: PeopleFacets;
  readonly alreadySaved: number;
  readonly page: PreviewPage;
}

export interface PreviewPage {
  readonly people: readonly PreviewedPerson[];
  /** The last number that was shown; the next page begins after it. Undefined on the last page. */
  readonly next: number | undefined;
}

export interface Previewed {
  readonly search: StoredPeopleSearch;
  readonly preview: PeoplePreview;
  readonly charge: { readonly kind: 'allowance' | 'credits' | 'repeated'; readonly credits: number };
  readonly previewsLeft: number;
}

export type PreviewOutcome =
  | ({ readonly kind: 'previewed' } & Previewed)
  | { readonly kind: 'costsCredits'; readonly required: number }
  | { readonly kind: 'tooFewCredits'; readonly required: number; readonly available: number }
  | { readonly kind: 'keyReused' | 'searchNotFound' | 'locked' | 'changed' };

/** Begins a search with a preview, which uses an allowance or costs credits. */
export async function beginPeopleSearch(
  ports: PeopleSearchPorts,
  request: {
    readonly accountId: AccountId;
    readonly userId: UserId;
    readonly name: string;
    readonly filters: PeopleFilters;
    readonly creditsMax: number;
    readonly key: RequestKey | null;
  },
): Promise<PreviewOutcome> {
  const { accountId, filters, key } = request;
  const earlier = await repeatedBegin(ports, accountId, key);
  if (earlier) {
    return earlier;
  }
  const searchId = key ? searchIdOf(accountId, key.hash) : newId('discoverySearch');
  const filtersHash = hashOfFilters(filters);
  // Made ahead of any charge: what cannot be answered costs nothing.
  const preview = await makePreview(ports, accountId, filters);
  return charged(
    ports,
    { accountId, searchId, filtersHash, creditsMax: request.creditsMax },
    preview,
    async payment => {
      const created = await ports.searches.create(
        { searchId, accountId, name: request.name, filters, filtersHash, createdBy: request.userId, key },
        payment,
      );
      return created ?? ((await repeatedBegin(ports, accountId, key)) || { kind: 'changed' });
    },
  );
}

/** Replaces the filters. Those that were previewed before are free, others are a preview. */
export async function changePeopleSearch(
  ports: PeopleSearchPorts,
  request: {
    readonly accountId: AccountId;
    readonly searchId: DiscoverySearchId;
    readonly filters: PeopleFilters;
    readonly creditsMax: number;
  },
): Promise<PreviewOutcome> {
  const { accountId, searchId, filters } = request;
  const search = await ports.searches.find(accountId, searchId);
  if (!search) {
    return { kind: 'searchNotFound' };
  }
  if (search.state === 'locked') {
    return { kind: 'locked' };
  }
  const filtersHash = hashOfFilters(filters);
  const preview = await makePreview(ports, accountId, filters);
  const store = async (payment: PreviewPayment): Promise<StoredPeopleSearch | PreviewOutcome> => {
    const changed = await ports.searches.change({ searchId, accountId, filters, filtersHash }, payment);
    return changed === 'locked'
      ? { kind: 'locked' }
      : changed === 'gone'
        ? { kind: 'searchNotFound' }
        : changed;
  };
  if (isPreviewed(search, filtersHash)) {
    const stored = await store({ kind: 'none' });
    return 'kind' in stored ? stored : repeated(ports, accountId, stored, preview);
  }
  return charged(ports, { accountId, searchId, filtersHash, creditsMax: request.creditsMax }, preview, store);
}

/** Shows a search again, with its preview as it is now. Undefined where the account has no such search. */
export async function getPeopleSearch(
  ports: PeopleSearchPorts,
  accountId: AccountId,
  searchId: DiscoverySearchId,
): Promise<Previewed | undefined> {
  const search = await ports.searches.find(accountId, searchId);
  return search && repeated(ports, accountId, search, await makePreview(ports, accountId, search.filters));
}

/** A page of a search's preview. Undefined where the account has no such search. */
export async function listPeopleOfSearch(
  ports: PeopleSearchPorts,
  accountId: AccountId,
  searchId: DiscoverySearchId,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PreviewPage | undefined> {
  const search = await ports.searches.find(accountId, searchId);
  return search && readPage(ports, accountId, search.filters, after, limit);
}

async function repeatedBegin(
  ports: PeopleSearchPorts,
  accountId: AccountId,
  key: RequestKey | null,
): Promise<PreviewOutcome | undefined> {
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

async function repeated(
  ports: PeopleSearchPorts,
  accountId: AccountId,
  search: StoredPeopleSearch,
  preview: PeoplePreview,
): Promise<{ readonly kind: 'previewed' } & Previewed> {
  const { left } = await ports.credits.allowance(accountId);
  const charge = { kind: 'repeated', credits: 0 } as const;
  return { kind: 'previewed', search, preview, charge, previewsLeft: left };
}

/**
 * Takes an allowance or holds credits, then stores; a hold is settled by the job that is stored with the search. Where
 * nothing was stored, both are given back.
 */
async function charged(
  ports: PeopleSearchPorts,
  request: {
    readonly accountId: AccountId;
    readonly searchId: DiscoverySearchId;
    readonly filtersHash: Uint8Array;
    readonly creditsMax: number;
  },
  preview: PeoplePreview,
  store: (payment: PreviewPayment) => Promise<StoredPeopleSearch | PreviewOutcome>,
): Promise<PreviewOutcome> {
  const { credits } = ports;
  const paid = await pay(credits, request);
  if (paid.kind === 'costsCredits' || paid.kind === 'tooFewCredits') {
    return paid;
  }
  const stored = await store(paid.payment).catch(async (error: unknown) => {
    await giveBackUnlessStored(ports, request, paid.payment).catch(() => undefined);
    throw error;
  });
  if ('kind' in stored) {
    await giveBackUnlessStored(ports, request, paid.payment);
    return stored;
  }
  const charge =
    paid.payment.kind === 'allowance'
      ? ({ kind: 'allowance', credits: 0 } as const)
      : ({ kind: 'credits', credits: prices.peoplePreview } as const);
  return { kind: 'previewed', search: stored, preview, charge, previewsLeft: paid.left };
}

/** The same request at the same time shares its payment with this one, and may have stored what it is for. */
async function giveBackUnlessStored(
  { searches, credits }: PeopleSearchPorts,
  request: {
    readonly accountId: AccountId;
    readonly searchId: DiscoverySearchId;
    readonly filtersHash: Uint8Array;
  },
  payment: PreviewPayment,
): Promise<void> {
  const search = await searches.find(request.accountId, request.searchId);
  if (!search || !isPreviewed(search, request.filtersHash)) {
    await credits.giveBack(payment);
  }
}

function isPreviewed({ previewed }: StoredPeopleSearch, filtersHash: Uint8Array): boolean {
  return previewed.some(hash => Buffer.from(filtersHash).equals(hash));
}

type Paid =
  | { readonly kind: 'paid'; readonly payment: PreviewPayment; readonly left: number }
  | Extract<PreviewOutcome, { readonly kind: 'costsCredits' | 'tooFewCredits' }>;

async function pay(
  credits: PreviewCredits,
  request: {
    readonly accountId: AccountId;
    readonly searchId: DiscoverySearchId;
    readonly filtersHash: Uint8Array;
    readonly creditsMax: number;
  },
): Promise<Paid> {
  const { accountId } = request;
  const { left, cycleStartsAt } = await credits.allowance(accountId);
  const useId = useIdOf(request.searchId, request.filtersHash, cycleStartsAt ?? '');
  const taken = left > 0 ? await credits.takeAllowance(accountId, useId) : undefined;
  if (taken?.taken) {
    return { kind: 'paid', payment: { kind: 'allowance', useId }, left: taken.left };
  }
  if (request.creditsMax < prices.peoplePreview) {
    return { kind: 'costsCredits', required: prices.peoplePreview };
  }
  const hold = await credits.hold(accountId, useId, prices.peoplePreview);
  return hold.kind === 'held'
    ? { kind: 'paid', payment: { kind: 'credits', holdId: hold.holdId }, left: 0 }
    : { kind: 'tooFewCredits', required: prices.peoplePreview, available: hold.available };
}

async function makePreview(
  ports: PeopleSearchPorts,
  accountId: AccountId,
  filters: PeopleFilters,
): Promise<PeoplePreview> {
  const skip = await ports.savedNumbers(accountId);
  const [all, unsaved, page] = await Promise.all([
    ports.index.count({ filters, facets: true }),
    skip.length > 0 ? ports.index.count({ filters, skip }) : undefined,
    readPage(ports, accountId, filters, 0, limits.pageRowsDefault),
  ]);
  if (!all.facets) {
    throw new Error('The index has left out the facets.');
  }
  const alreadySaved = unsaved ? Math.max(0, all.total - unsaved.total) : 0;
  return { total: all.total, facets: all.facets, alreadySaved, page };
}

/** A page of the people whom a preview may show: the first ones, whatever place somebody asks for. */
async function readPage(
  ports: PeopleSearchPorts,
  accountId: AccountId,
  filters: PeopleFilters,
  after: number,
  limit: number,
): Promise<PreviewPage> {
  const shown = await ports.index.page({ filters, after: 0, limit: limits.previewedPeopleMax });
  const left = shown.personNos.filter(personNo => personNo > after);
  const personNos = left.slice(0, limit);
  const people = await ports.readPreviews(accountId, personNos);
  return { people, next: left.length > limit ? personNos.at(-1) : undefined };
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

function searchIdOf(accountId: AccountId, keyHash: Uint8Array): DiscoverySearchId {
  const digest = createHash('sha256').update('search').update(accountId).update(keyHash).digest('hex');
  return `srch_${digest.slice(0, 32)}` as DiscoverySearchId;
}
