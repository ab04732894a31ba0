import { type Coverage, type CoverageStatus, coverageLabels } from '@mailproof/shared-types';

/** What the status of a lookalike search follows from; all of it is read from rows. */
export interface CoverageFacts {
  /** A paid run is queued or running. */
  readonly isFetching: boolean;
  /** Companies that the paid runs delivered and that are still there. */
  readonly delivered: number;
  /** A paid run has ended other than by a failure, whatever it delivered. */
  readonly hasEndedRun: boolean;
  /** Whether the last paid run left matches behind; null where none has said so. */
  readonly hasMore: boolean | null;
  /** Matches when the search was looked at last, before it was paid for; null where that is not known. */
  readonly previewMatches: number | null;
  /** When the latest run failed; null when it did not. */
  readonly lastAttemptFailedAt: Date | null;
}

/**
 * How far a search has been fetched, in the specification's five statuses:
 *
 * - `free_preview` → `fetching` when a paid run starts; → `no_matches` and back as seeds and filters change.
 * - `fetching` → `complete` when the run exhausted the matches; → `more_available` when it did not, or was cancelled
 *   after it had delivered; → `no_matches` when it ended and nothing was returned by any run.
 * - `fetching` → what the status was before, when the run failed, with the note beside it. What a failed run had
 *   delivered by then is delivered: after a first run that failed half-way the status is `more_available`.
 * - `more_available`, `complete`, `no_matches` → `fetching` when a further run starts: the store may have grown.
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
