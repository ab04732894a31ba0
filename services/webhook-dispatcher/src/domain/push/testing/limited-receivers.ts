import type { Answer } from '../answer.ts';

/** Decides whether a request at this time is admitted. */
export type Admission = (nowMs: number) => boolean;

/** Admits `perSecond` requests in each second of the clock. */
export function fixedWindow(perSecond: number): Admission {
  let second = Number.NaN;
  let count = 0;
  return nowMs => {
    const current = Math.floor(nowMs / 1_000);
    count = current === second ? count : 0;
    second = current;
    return ++count <= perSecond;
  };
}

/** Admits `perSecond` requests in any period of one second. */
export function slidingWindow(perSecond: number): Admission {
  let admitted: number[] = [];
  return nowMs => {
    admitted = admitted.filter(atMs => atMs > nowMs - 1_000);
    const isLetIn = admitted.length < perSecond;
    if (isLetIn) {
      admitted.push(nowMs);
    }
    return isLetIn;
  };
}

/** A token bucket that refills at `perSecond`. */
export function tokenBucket(perSecond: number, burst: number): Admission {
  let tokens = burst;
  let atMs = Number.NaN;
  return nowMs => {
    tokens = Math.min(burst, tokens + (Number.isNaN(atMs) ? 0 : ((nowMs - atMs) * perSecond) / 1_000));
    atMs = nowMs;
    if (tokens < 1) {
      return false;
    }
    tokens -= 1;
    return true;
  };
}

/** How a receiver that is at its limit refuses requests. */
export type Refusing = 'seconds' | 'date' | 'nothing' | 'unavailable';

export function refusal(refusing: Refusing, nowMs: number): Answer {
  const retryAfter = {
    seconds: '1',
    unavailable: '1',
    date: new Date(nowMs + 1_000).toUTCString(),
    nothing: undefined,
  }[refusing];
  return answerOf(refusing === 'unavailable' ? 503 : 429, { retryAfter });
}

export function answerOf(
  status: number,
  more: { readonly retryAfter?: string | undefined; readonly location?: string } = {},
): Answer {
  return { kind: 'answer', status, retryAfter: more.retryAfter, location: more.location };
}
