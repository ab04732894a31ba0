import { setTimeout as waitFor } from 'node:timers/promises';
import { CrmFault } from '../../domain/crm/crm.ts';

/** Searches have a separate limit, which all programs of an account share. */
export type CallKind = 'call' | 'search';

/** Keeps the calls of one process for one account below HubSpot's limits. */
export interface CallPace {
  /** Waits until the call may be sent. Throws `CrmFault` if that would take too long. */
  take(kind: CallKind, signal: AbortSignal): Promise<void>;
  /** Learns the limits from an answer. */
  learn(headers: Readonly<Record<string, string>>): void;
  /** Sends no calls of this kind for `ms` milliseconds. */
  hold(kind: CallKind, ms: number): void;
}

export interface Clock {
  /** A monotonic time in milliseconds. */
  nowMs(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface CallPaceOptions {
  readonly searchesPerSecondMax: number;
  readonly clock?: Clock;
}

/** HubSpot’s smallest limit, for its free plan; used until an answer has the account's limit. */
const callsMaxAtFirst = 100;
const callsSpanMsAtFirst = 10_000;
const searchSpanMs = 1_000;
/** The fraction of a limit that is used; the rest is for our other processes and for late answers. */
const partUsed = 0.9;
/** Fewer remaining calls than this in the window mean that other programs call, too. */
const remainingMin = 5;
const waitMsMax = 15_000;

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  async wait(ms, signal) {
    await waitFor(ms, undefined, { signal }).catch(error => {
      // The timer's own error wraps the reason; the caller that aborted gets the reason itself.
      signal.throwIfAborted();
      throw error;
    });
  },
};

/** Creates a pace with sliding windows, like HubSpot's limits. */
export function createCallPace({ searchesPerSecondMax, clock = systemClock }: CallPaceOptions): CallPace {
  const windows: Record<CallKind, Window> = {
    call: { spanMs: callsSpanMsAtFirst, callsMax: callsMaxAtFirst * partUsed, sentAtMs: [], heldToMs: 0 },
    search: { spanMs: searchSpanMs, callsMax: searchesPerSecondMax, sentAtMs: [], heldToMs: 0 },
  };

  function hold(kind: CallKind, ms: number): void {
    const window = windows[kind];
    window.heldToMs = Math.max(window.heldToMs, clock.nowMs() + ms);
  }

  return {
    hold,
    async take(kind, signal) {
      for (;;) {
        signal.throwIfAborted();
        const window = windows[kind];
        const now = clock.nowMs();
        const waitMs = waitOf(window, now);
        if (waitMs <= 0) {
          window.sentAtMs.push(now);
          return;
        }
        if (waitMs > waitMsMax) {
          throw new CrmFault('throttled', Math.ceil(waitMs));
        }
        await clock.wait(waitMs, signal);
      }
    },
    learn(headers) {
      const { call } = windows;
      const callsMax = wholeNumber(headers['x-hubspot-ratelimit-max']);
      const spanMs = wholeNumber(headers['x-hubspot-ratelimit-interval-milliseconds']);
      const remaining = wholeNumber(headers['x-hubspot-ratelimit-remaining']);
      if (callsMax !== undefined && callsMax > 0 && spanMs !== undefined && spanMs > 0) {
        call.callsMax = Math.max(1, Math.floor(callsMax * partUsed));
        call.spanMs = Math.min(spanMs, 60_000);
        if (remaining !== undefined && remaining < Math.min(remainingMin, callsMax)) {
          hold('call', call.spanMs / 10);
        }
      }
    },
  };
}

interface Window {
  spanMs: number;
  callsMax: number;
  heldToMs: number;
  /** When the calls in the window were sent, oldest first. */
  readonly sentAtMs: number[];
}

function waitOf({ spanMs, callsMax, sentAtMs, heldToMs }: Window, nowMs: number): number {
  while (sentAtMs[0] !== undefined && sentAtMs[0] <= nowMs - spanMs) {
    sentAtMs.shift();
  }
  const isFull = sentAtMs.length >= callsMax;
  // The call that has to leave the window before there is room; also correct after the limit has decreased.
  const leaving = sentAtMs[sentAtMs.length - Math.floor(callsMax)];
  const fullForMs = isFull && leaving !== undefined ? leaving + spanMs - nowMs : 0;
  return Math.max(fullForMs, heldToMs - nowMs);
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
