import type { ExportFailure } from '@mailproof/shared-types';
import type { Export } from '../../exports/export.ts';
import type { BatchResult } from '../../exports/row-delivery.ts';
import type { CrmFault, CrmFaultKind } from '../crm-fault.ts';

/** What is known of a CRM while a push goes on. */
export interface CrmTrouble {
  /** How often in a row it was away, and asked us to wait. */
  awayInARow: number;
  throttledInARow: number;
}

/** Attempts for one row, as for a webhook. */
export const attemptsMax = 3;

/** A batch is broken off after so long: whoever undoes the push knows that nothing is written later. In milliseconds. */
export const batchMsMax = 90_000;

/** Pauses while a CRM is away: the first and the longest; each is twice as long as the one before. In milliseconds. */
const awayMsMin = 5_000;
const awayMsMax = 300_000;
/** A CRM that does not say for how long is asked again after so long, then twice as long, in milliseconds. */
const throttledMsMin = 2_000;
const throttledMsMax = 120_000;
/** The calls of a day come back over the day, so that asking every quarter of an hour is enough. In milliseconds. */
const exhaustedMs = 900_000;
/** Whether access is there again is looked at so often, in milliseconds; who resumes the push has it looked at at once. */
const revokedMs = 300_000;
/** Nothing is waited for less, or longer, than this. In milliseconds. */
const askedMsMin = 1_000;
const askedMsMax = 604_800_000;
const doublingsMax = 20;

/** Faults that end a push: nothing gets better by asking again. */
const endings: Partial<Record<CrmFaultKind, ExportFailure>> = {
  not_permitted: 'mapping_not_valid',
  not_found: 'mapping_not_valid',
  refused: 'mapping_not_valid',
};

/** What a fault of the CRM means for a push: an end, or a pause that is no attempt of any row. */
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
    // Whoever connects the CRM again finds the push where it was: rows are not lost by a password that was changed. The CRM
    // is not asked until then, and this pause is no fault of its, so that it counts towards no limit.
    return { change: { pauseReason: 'access_revoked', resumesAt: new Date(nowMs + revokedMs) } };
  }
  const isAway = kind === 'away';
  const forMs = isAway ? pauseOfAway(trouble) : pauseOfThrottled(kind, waitMs, trouble);
  const throttled = isAway ? record.throttled : record.throttled + 1;
  const pausedMs = record.pausedMs + forMs;
  return pausedMs > pausedMsMax
    ? { change: { throttled }, failure: 'paused_too_long' }
    : {
        change: {
          throttled,
          pausedMs,
          pauseReason: isAway ? 'receiver_away' : 'receiver_asked',
          resumesAt: new Date(nowMs + forMs),
        },
      };
}

export function pauseOfAway(trouble: CrmTrouble): number {
  const forMs = Math.min(awayMsMax, awayMsMin * 2 ** Math.min(doublingsMax, trouble.awayInARow));
  trouble.awayInARow += 1;
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
