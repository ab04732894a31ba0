import type { RequestKey } from '@mailproof/paid-runs';
import type {
  AccountId,
  DiscoveryRunId,
  DiscoverySearchId,
  HoldId,
  PeopleFilters,
  UserId,
} from '@mailproof/shared-types';
import type { PreviewPayment } from './preview-credits.ts';

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

/** Filters of a search, with what they are known again by. */
export interface FiltersOfSearch {
  readonly searchId: DiscoverySearchId;
  readonly accountId: AccountId;
  readonly filters: PeopleFilters;
  readonly filtersHash: Uint8Array;
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
    search: FiltersOfSearch & {
      readonly name: string;
      readonly createdBy: UserId;
      readonly key: RequestKey | null;
    },
    payment: PreviewPayment,
  ): Promise<StoredPeopleSearch | undefined>;
  /**
   * Replaces the filters of a search that is not locked, with the job that charges the preview. Filters that another
   * request has previewed meanwhile are not charged again.
   */
  change(
    search: FiltersOfSearch,
    payment: PreviewPayment,
  ): Promise<{ readonly search: StoredPeopleSearch; readonly wasPreviewed: boolean } | 'locked' | 'gone'>;
  /** Whether a preview that is written down is charged by this hold. */
  isCharging(holdId: HoldId): Promise<boolean>;
}
