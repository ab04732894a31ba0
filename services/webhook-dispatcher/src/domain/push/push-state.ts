import {
  type ExportFailure,
  type ExportId,
  type ExportPauseReason,
  type WebhookOptions,
  type WebhookPreset,
  type WebhookPresetName,
  webhookPresets,
} from '@mailproof/shared-types';
import type { Export, RowOutcome } from '../exports/export.ts';
import type { Judgment } from './answer.ts';
import { createPace, type Pace } from './pace.ts';

/**
 * What a push has learned about its receiver. It is kept only in memory: everything but the pace is quickly relearned.
 */
export interface PushState {
  readonly preset: WebhookPresetName;
  readonly limits: WebhookPreset;
  readonly pace: Pace;
  /** The current pause of sending, with its reason. */
  readonly pause: Pause | undefined;
  readonly failure: ExportFailure | undefined;
  /** How many answers so far asked us to wait. */
  readonly throttled: number;
  /** How many requests may be in flight at once: one if the receiver may be unavailable. */
  readonly concurrencyMax: number;
  /** Learns from a judged answer. */
  learn(judgment: Judgment, at: { readonly nowMs: number; readonly sentAtMs: number }): void;
}

interface Pause {
  readonly untilMs: number;
  readonly reason: ExportPauseReason;
}

interface PushStateOptions {
  readonly preset: WebhookPresetName;
  readonly options: WebhookOptions;
  /** The stored pace of the push. */
  readonly knownPace: number | null;
  readonly nowMs: number;
  readonly random: () => number;
}

/**
 * How many rows in succession are refused before the destination is given up; a single row may be refused for its
 * values.
 */
const refusalsMax = 5;
/** How many attempts in succession fail before the receiver is considered unavailable. */
const failuresMax = 10;
/** The first and the longest pause while a receiver is unavailable; each is twice as long as the one before. */
const awayMsMin = 5_000;
const awayMsMax = 300_000;
/** The shortest pause at a receiver's request, so that a request to wait for zero time still causes a pause. */
const askedMsMin = 1_000;
/** If a receiver keeps asking us to wait without naming a time, pauses grow up to this. */
const unnamedMsMax = 300_000;
/** How much later than asked sending resumes at most, since clocks and windows are not exact, in milliseconds. */
const lateMs = 250;

export function createPushState({ preset, options, knownPace, nowMs, random }: PushStateOptions): PushState {
  const limits: WebhookPreset = webhookPresets[preset];
  const perSecondMax = Math.min(limits.perSecondMax, options.rows_per_second_max ?? Number.POSITIVE_INFINITY);
  const pace = createPace({ startPerSecond: limits.startPerSecond, perSecondMax, known: knownPace, nowMs });
  let pause: Pause | undefined;
  let failure: ExportFailure | undefined;
  let throttled = 0;
  let throttledInARow = 0;
  let failuresInARow = 0;
  let refusalsInARow = 0;
  let awayPauses = 0;

  function pauseFor(reason: ExportPauseReason, now: number, waitMs: number): void {
    const untilMs = now + waitMs + random() * lateMs;
    if (pause === undefined || untilMs > pause.untilMs) {
      pause = { reason, untilMs };
    }
  }

  function askedToWait(waitMs: number | undefined, at: { nowMs: number; sentAtMs: number }): void {
    throttled += 1;
    const isNews = pace.throttled(at.nowMs, at.sentAtMs);
    throttledInARow += isNews ? 1 : 0;
    const unnamedMs = Math.min(unnamedMsMax, limits.pauseMs * 2 ** Math.min(20, throttledInARow - 1));
    pauseFor('receiver_asked', at.nowMs, Math.max(askedMsMin, waitMs ?? unnamedMs));
  }

  function failed(now: number): void {
    failuresInARow += 1;
    if (failuresInARow >= failuresMax && (pause?.untilMs ?? 0) <= now) {
      pauseFor('receiver_away', now, Math.min(awayMsMax, awayMsMin * 2 ** Math.min(20, awayPauses)));
      awayPauses += 1;
    }
  }

  return {
    preset,
    limits,
    pace,
    get pause() {
      return pause;
    },
    get failure() {
      return failure;
    },
    get throttled() {
      return throttled;
    },
    get concurrencyMax() {
      return failuresInARow >= failuresMax ? 1 : limits.concurrencyMax;
    },
    learn(judgment, at) {
      if (judgment.kind === 'throttled') {
        askedToWait(judgment.waitMs, at);
        return;
      }
      if (judgment.kind === 'retry') {
        failed(at.nowMs);
        return;
      }
      failuresInARow = 0;
      awayPauses = 0;
      refusalsInARow = judgment.kind === 'refused' ? refusalsInARow + 1 : 0;
      if (refusalsInARow >= refusalsMax) {
        failure = 'destination_refused';
      }
      if (judgment.kind === 'delivered') {
        throttledInARow = 0;
        pace.taken(at.nowMs, at.sentAtMs);
      }
    },
  };
}

/** How many rows were delivered, given up, or scheduled for a retry. */
type OutcomeCounts = Readonly<Record<'delivered' | 'failed' | 'retried', number>>;

/** Events of pushes; they never contain the destination. */
export interface PushEvents {
  batchPushed(
    record: Export,
    batch: { readonly rows: OutcomeCounts; readonly throttled: number; readonly pace: number },
  ): void;
  pushPaused(record: Export, reason: ExportPauseReason, pausedMs: number): void;
  /** A stored destination cannot be decrypted with the key ring. */
  destinationNotOpened(exportId: ExportId, kind: 'unknown_kid' | 'not_authentic'): void;
}

export function outcomeCounts(outcomes: readonly RowOutcome[]): OutcomeCounts {
  const count = (state: RowOutcome['state']) => outcomes.filter(outcome => outcome.state === state).length;
  return { delivered: count('delivered'), failed: count('failed'), retried: count('pending') };
}
