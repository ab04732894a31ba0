import type { ExportFailure } from '@mailproof/shared-types';
import type { Export } from '../../exports/export.ts';
import type { BatchResult } from '../../exports/row-delivery.ts';
import type { CrmFault, CrmFaultKind } from '../crm.ts';

/** The recent failures of a CRM during a push. */
export interface CrmTrouble {
  /** How many times in a row the CRM was unavailable; `throttledInARow` is how many times it asked us to wait. */
  unavailableInARow: number;
  throttledInARow: number;
}

/** The most attempts for one row, as for a webhook. */
export const attemptsMax = 3;

/** A batch is aborted after this time, so that an undo can rely on no later write, in milliseconds. */
export const batchMsMax = 90_000;

/**
 * The first and the longest pause while a CRM is unavailable, in milliseconds; each is twice as long as the one before.
 */
const awayMsMin = 5_000;
const awayMsMax = 300_000;
/**
 * The first and the longest pause, in milliseconds, if a CRM does not say how long to wait; each is twice as long as
 * the one before.
 */
const throttledMsMin = 2_000;
const throttledMsMax = 120_000;
/**
 * The pause when the daily calls are used up, in milliseconds. The quota recovers over the day, so a retry every
 * quarter of an hour is enough.
 */
const exhaustedMs = 900_000;
/** How often restored access is checked for, in milliseconds; resuming the push checks at once. */
const revokedMs = 300_000;
/** The shortest and the longest wait, in milliseconds. */
const askedMsMin = 1_000;
const askedMsMax = 604_800_000;
const doublingsMax = 20;

/** Faults that end a push, because a retry cannot help. */
const endings: Partial<Record<CrmFaultKind, ExportFailure>> = {
  not_permitted: 'mapping_not_valid',
  not_found: 'mapping_not_valid',
  refused: 'mapping_not_valid',
};

/** What a fault of the CRM means for a push: its end, or a pause that does not count as an attempt of any row. */
export function endOfTrouble(
  record: Pick<Export, 'pausedMs' | 'throttled'>,
  { kind, waitMs }: CrmFault,
  trouble: CrmTrouble,
  { nowMs, pausedMsMax }: { readonly nowMs: number; readonly pausedMsMax: number },
): Omit<BatchResult, 'outcomes'> {
  const failure = endings[kind];
  if (failure) {
    return { change: {}, failure };
  }
  if (kind === 'revoked') {
    // When a user reconnects the CRM, the push continues where it was, so a changed password loses no rows. The CRM is
    // not called until then. This pause is not the CRM's fault, so it counts toward no limit.
    return { change: { pauseReason: 'access_revoked', resumesAt: new Date(nowMs + revokedMs) } };
  }
  const isUnavailable = kind === 'away';
  const forMs = isUnavailable ? pauseOfAway(trouble) : pauseOfThrottled(kind, waitMs, trouble);
  const throttled = isUnavailable ? record.throttled : record.throttled + 1;
  const pausedMs = record.pausedMs + forMs;
  return pausedMs > pausedMsMax
    ? { change: { throttled }, failure: 'paused_too_long' }
    : {
        change: {
          throttled,
          pausedMs,
          pauseReason: isUnavailable ? 'receiver_away' : 'receiver_asked',
          resumesAt: new Date(nowMs + forMs),
        },
      };
}

export function pauseOfAway(trouble: CrmTrouble): number {
  const forMs = Math.min(awayMsMax, awayMsMin * 2 ** Math.min(doublingsMax, trouble.unavailableInARow));
  trouble.unavailableInARow += 1;
  return forMs;
}

export function pauseOfThrottled(kind: CrmFaultKind, waitMs: number | null, trouble: CrmTrouble): number {
  const doubled = Math.min(
    throttledMsMax,
    throttledMsMin * 2 ** Math.min(doublingsMax, trouble.throttledInARow),
  );
  trouble.throttledInARow += 1;
  const unnamedMs = kind === 'exhausted' ? exhaustedMs : doubled;
  return Math.ceil(Math.min(askedMsMax, Math.max(askedMsMin, waitMs ?? unnamedMs)));
}
