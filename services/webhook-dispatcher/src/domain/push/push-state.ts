import {
  type ExportFailure,
  type ExportPauseReason,
  type WebhookOptions,
  type WebhookPreset,
  type WebhookPresetName,
  webhookPresets,
} from '@mailproof/shared-types';
import type { Judgement } from './answer.ts';
import { createPace, type Pace } from './pace.ts';

/** What a push has learned of its receiver. It lives in memory alone: all but the pace is learned again in no time. */
export interface PushState {
  readonly preset: WebhookPresetName;
  readonly limits: WebhookPreset;
  readonly pace: Pace;
  /** Until when nothing is sent, and why. */
  readonly pause: Pause | undefined;
  readonly failure: ExportFailure | undefined;
  /** Answers so far that asked us to wait. */
  readonly throttled: number;
  /** Requests that may be on their way at once: one when it is in doubt whether there is anybody. */
  readonly atOnceMax: number;
  /** Learns from what an answer means. */
  learn(judgement: Judgement, at: { readonly nowMs: number; readonly sentAtMs: number }): void;
}

export interface Pause {
  readonly untilMs: number;
  readonly reason: ExportPauseReason;
}

export interface PushStateOptions {
  readonly preset: WebhookPresetName;
  readonly options: WebhookOptions;
  /** The pace that is written down of the push. */
  readonly knownPace: number | null;
  readonly nowMs: number;
  readonly random: () => number;
}

/** So many rows in a row are refused before the destination is given up: a single one may be refused for what it says. */
const refusalsMax = 5;
/** So many attempts in a row fail before the receiver is taken to be away. */
const failuresMax = 10;
/** Pauses while a receiver is away: the first, and the longest; each is twice as long as the one before. */
const awayMsMin = 5_000;
const awayMsMax = 300_000;
/** Pauses that a receiver asks for are no shorter, so that "now" is not an invitation to ask at once. */
const askedMsMin = 1_000;
/** Without a time that it names, pauses grow up to this as long as it asks again and again. */
const unnamedMsMax = 300_000;
/** Comes back a little later than asked, since clocks and windows are not exact. In milliseconds. */
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
    get atOnceMax() {
      return failuresInARow >= failuresMax ? 1 : limits.atOnceMax;
    },
    learn(judgement, at) {
      if (judgement.kind === 'throttled') {
        askedToWait(judgement.waitMs, at);
        return;
      }
      if (judgement.kind === 'retry') {
        failed(at.nowMs);
        return;
      }
      failuresInARow = 0;
      awayPauses = 0;
      refusalsInARow = judgement.kind === 'refused' ? refusalsInARow + 1 : 0;
      if (refusalsInARow >= refusalsMax) {
        failure = 'destination_refused';
      }
      if (judgement.kind === 'delivered') {
        throttledInARow = 0;
        pace.taken(at.nowMs);
      }
    },
  };
}
