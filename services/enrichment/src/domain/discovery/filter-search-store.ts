import type { RequestKey } from '@mailproof/durable-work';
import type {
  AccountId,
  AllowanceUseId,
  CreatorId,
  DiscoveryRunId,
  DiscoverySearchId,
  HoldId,
  PeopleFilters,
  SearchKind,
} from '@mailproof/shared-types';

/** The kinds of search that find records by filters; both have the filters and rules of people searches (ADR 0097). */
export type FilteredKind = Extract<SearchKind, 'people' | 'companies'>;

/** A stored search for people or companies by filters. */
export interface StoredFilterSearch {
  readonly searchId: DiscoverySearchId;
  readonly name: string;
  /** Those of a company search are filters of people that are about companies. */
  readonly filters: PeopleFilters;
  readonly state: 'preview' | 'locked';
  /** Hashes of the filters that were previewed. */
  readonly previewed: readonly Uint8Array[];
  readonly hasMore: boolean | null;
  readonly lastAttemptFailedAt: Date | null;
  readonly activeRunId: DiscoveryRunId | null;
  readonly createdBy: CreatorId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The filters of a search, with the hash that identifies them. */
interface FiltersOfSearch {
  readonly searchId: DiscoverySearchId;
  readonly accountId: AccountId;
  readonly filters: PeopleFilters;
  readonly filtersHash: Uint8Array;
}

/** Stores the searches of one kind. */
export interface FilterSearchStore {
  find(accountId: AccountId, searchId: DiscoverySearchId): Promise<StoredFilterSearch | undefined>;
  findByKey(
    accountId: AccountId,
    keyHash: Uint8Array,
  ): Promise<{ readonly search: StoredFilterSearch; readonly requestHash: Uint8Array } | undefined>;
  /** Stores the search with the job that charges its preview; returns undefined if its key or ID is already used. */
  create(
    search: FiltersOfSearch & {
      readonly name: string;
      readonly createdBy: CreatorId;
      readonly key: RequestKey | null;
    },
    payment: PreviewPayment,
  ): Promise<StoredFilterSearch | undefined>;
  /**
   * Replaces the filters of a search that is not locked, with the job that charges the preview. Filters that a
   * concurrent request has previewed are not charged again.
   */
  change(
    search: FiltersOfSearch,
    payment: PreviewPayment,
  ): Promise<{ readonly search: StoredFilterSearch; readonly wasPreviewed: boolean } | 'locked' | 'gone'>;
  /** Whether a search of this kind of the account was previewed with these filters. */
  hasPreviewed(accountId: AccountId, filtersHash: Uint8Array): Promise<boolean>;
  /** Whether a stored preview is charged by this hold. */
  isCharging(holdId: HoldId): Promise<boolean>;
}

/** How a preview was paid for. */
export type PreviewPayment =
  | { readonly kind: 'allowance'; readonly useId: AllowanceUseId }
  | { readonly kind: 'credits'; readonly holdId: HoldId }
  | { readonly kind: 'none' };

/** The operation that makes a preview, recorded as the cause in the ledger. */
export type PreviewCause = `${'begin' | 'change'}-${'people' | 'company'}-search`;

/** The ledger operations that previews need. */
export interface PreviewCredits {
  /** Returns the free previews left in the cycle; none if there is no cycle. */
  allowance(
    accountId: AccountId,
  ): Promise<{ readonly left: number; readonly cycleStartsAt: string | undefined }>;
  /** Idempotent by `useId`. */
  takeAllowance(
    accountId: AccountId,
    useId: AllowanceUseId,
    cause: PreviewCause,
  ): Promise<{ readonly taken: boolean; readonly left: number }>;
  /**
   * Places a short-lived hold. `purpose` distinguishes previews; the same purpose returns the same hold while it is
   * active.
   */
  hold(
    accountId: AccountId,
    purpose: string,
    amount: number,
    cause: PreviewCause,
  ): Promise<
    | { readonly kind: 'held'; readonly holdId: HoldId }
    | { readonly kind: 'refused'; readonly available: number }
  >;
  /** Refunds the payment for a preview that was not shown. */
  refund(accountId: AccountId, payment: PreviewPayment): Promise<void>;
}
