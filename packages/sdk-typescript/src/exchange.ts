import { asError, type MailproofError, problemOf } from './mailproof-error.ts';

/** How long and how often a request is tried. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attemptsMax: number;
  /** Time for all attempts together, waits included, in milliseconds. */
  readonly deadlineMs: number;
}

/** One request, and what its attempts need. */
export interface Exchange {
  /** Makes the request of an attempt: the body of an earlier one is used up. */
  readonly make: () => Request;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly policy: RetryPolicy;
  /** True if the caller reads the body at its own pace; the deadline then ends with the headers. */
  readonly isStream?: boolean;
}

const firstWaitMs = 500;
const waitMsMax = 10_000;
/** A timer that is set to more fires at once. */
const timerMsMax = 2 ** 31 - 1;
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** These say nothing about the request, only that it was not served. */
const passingStatuses = new Set([429, 500, 502, 503, 504]);

/**
 * Sends a request until it succeeds, fails permanently, or its attempts or its time are used up. Only a request that can
 * be repeated safely is: one with an idempotent method or an `Idempotency-Key`. A 429 comes before the request is
 * looked at, so any request is repeated after it.
 *
 * @throws MailproofError with the problem of the last response, or without one if there was no response
 * @throws the reason of the request's signal if it is aborted
 */
export async function exchange({ make, fetch, policy, isStream }: Exchange): Promise<Response> {
  const endsAt = Date.now() + policy.deadlineMs;
  for (let attempt = 1; ; attempt += 1) {
    const request = make();
    const outcome = await attemptOnce(request, fetch, endsAt - Date.now(), isStream === true);
    if (outcome instanceof Response) return outcome;
    const waitMs = outcome.retryAfterMs ?? Math.min(waitMsMax, firstWaitMs * 2 ** (attempt - 1));
    // Full jitter below our own wait; above the server's, because earlier would be refused.
    const jittered =
      outcome.retryAfterMs === undefined ? waitMs * Math.random() : waitMs * (1 + Math.random() / 4);
    const isLast = attempt >= policy.attemptsMax || Date.now() + jittered >= endsAt;
    if (isLast || !mayRepeat(request, outcome)) throw outcome;
    await pause(jittered, request.signal);
  }
}

function mayRepeat({ method, headers }: Request, error: MailproofError): boolean {
  if (error.status === 429) return true;
  if (!idempotentMethods.has(method) && !headers.has('idempotency-key')) return false;
  return mayPass(error) || error.code === 'idempotency_key_in_use';
}

/** Whether the same request may succeed later. */
export function mayPass({ status }: MailproofError): boolean {
  return status === undefined || passingStatuses.has(status);
}

/** Returns a good response, or the error of another or of none. */
async function attemptOnce(
  request: Request,
  fetch: Exchange['fetch'],
  leftMs: number,
  isStream: boolean,
): Promise<Response | MailproofError> {
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException('No answer in time.', 'TimeoutError')),
    Math.min(leftMs, timerMsMax),
  );
  try {
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    // Only `Authorization` and cookies are dropped when a redirect leads to another host, and the API key is neither.
    const response = await fetch(new Request(request, { signal, redirect: 'manual' }));
    if (!response.ok) return await problemOf(response);
    if (isStream) return response;
    // Read here, so that a connection that breaks within the body is tried again like one that breaks before it.
    const body = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
  } catch (error) {
    request.signal.throwIfAborted();
    return asError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits; rejects with the signal's reason if it is aborted first. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(ms, timerMsMax),
    );
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
