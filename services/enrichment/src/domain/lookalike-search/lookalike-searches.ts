import type { RequestKey } from '@mailproof/durable-work';
import {
  type AccountId,
  type Coverage,
  type CoverageStatus,
  type CreatorId,
  coverageLabels,
  type DiscoveryRunId,
  type DiscoverySearchId,
} from '@mailproof/shared-types';
import type { SearchQuestion } from './question.ts';

/** A stored lookalike search. */
export interface KeptSearch {
  readonly searchId: DiscoverySearchId;
  readonly name: string;
  readonly question: SearchQuestion;
  readonly isLocked: boolean;
  readonly facts: CoverageFacts;
  readonly activeRunId: DiscoveryRunId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface NewSearch {
  readonly searchId: DiscoverySearchId;
  readonly accountId: AccountId;
  readonly creatorId: CreatorId;
  readonly name: string;
  readonly question: SearchQuestion;
  readonly previewMatches: number;
  readonly now: Date;
  readonly key: RequestKey | null;
}

/** Where the next page of a list of searches begins; newest first. */
export interface SearchPosition {
  readonly createdAt: Date;
  readonly searchId: DiscoverySearchId;
}

/** The lookalike searches of accounts. An account cannot find another account's search. */
export interface LookalikeSearches {
  /** Returns false if the account has made a search with this key before. */
  create(search: NewSearch): Promise<boolean>;
  find(accountId: AccountId, searchId: DiscoverySearchId): Promise<KeptSearch | undefined>;
  findByKey(
    accountId: AccountId,
    keyHash: Uint8Array,
  ): Promise<{ readonly search: KeptSearch; readonly requestHash: Uint8Array } | undefined>;
  list(accountId: AccountId, after: SearchPosition | undefined, rowsMax: number): Promise<KeptSearch[]>;
  rename(accountId: AccountId, searchId: DiscoverySearchId, name: string, now: Date): Promise<boolean>;
  /** Changes the question, unless a paid run has started. */
  change(
    accountId: AccountId,
    searchId: DiscoverySearchId,
    change: { readonly question: SearchQuestion; readonly previewMatches: number; readonly now: Date },
  ): Promise<'changed' | 'notFound' | 'locked'>;
  /** Records the current number of matches of the unchanged question. Does nothing for a locked search. */
  notePreview(searchId: DiscoverySearchId, previewMatches: number): Promise<void>;
  /** Deletes the search with its results and runs; companies that were paid for stay paid. */
  delete(accountId: AccountId, searchId: DiscoverySearchId): Promise<'deleted' | 'notFound' | 'runActive'>;
}

/** The facts that determine a lookalike search's status; all of them are read from rows. */
export interface CoverageFacts {
  /** A paid run is queued or running. */
  readonly isFetching: boolean;
  /** Companies that paid runs delivered and that still exist. */
  readonly delivered: number;
  /** A paid run has ended without failing, with any result. */
  readonly hasEndedRun: boolean;
  /** Whether the last paid run left matches behind; null if no run has reported it. */
  readonly hasMore: boolean | null;
  /** Matches at the last preview before the search was paid for; null if unknown. */
  readonly previewMatches: number | null;
  /** When the latest run failed; null if it did not. */
  readonly lastAttemptFailedAt: Date | null;
}

/**
 * How far a search has been fetched, in the specification's five statuses:
 *
 * - `free_preview` → `fetching` when a paid run starts; → `no_matches` and back as seeds and filters change.
 * - `fetching` → `complete` when the run exhausted the matches; → `more_available` when it did not, or was canceled
 *   after it had delivered; → `no_matches` when it ended and nothing was returned by any run.
 * - `fetching` → the previous status, with a note, when the run failed. Companies that a failed run delivered stay
 *   delivered: after a first run that failed half-way the status is `more_available`.
 * - `more_available`, `complete`, `no_matches` → `fetching` when another run starts: the store may have grown.
 */
export function coverageOf(facts: CoverageFacts): Coverage {
  const status = statusOf(facts);
  const failedAt = facts.isFetching ? null : facts.lastAttemptFailedAt;
  return {
    status,
    label: coverageLabels[status],
    last_attempt_failed: failedAt !== null,
    last_attempt_failed_at: failedAt?.toISOString() ?? null,
  };
}

function statusOf(facts: CoverageFacts): CoverageStatus {
  if (facts.isFetching) {
    return 'fetching';
  }
  if (facts.delivered > 0) {
    return facts.hasMore === false ? 'complete' : 'more_available';
  }
  if (facts.hasEndedRun && facts.hasMore === false) {
    return 'no_matches';
  }
  return facts.previewMatches === 0 ? 'no_matches' : 'free_preview';
}
