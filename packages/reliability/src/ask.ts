import { setTimeout as sleep } from 'node:timers/promises';

/** An attempt that did not get the expected response. */
export interface Refusal {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly atMs: number;
  /** The text of the response, or the connection error. */
  readonly detail: string;
}

export interface Asked<Answer> {
  readonly answer: Answer;
  readonly refusals: readonly Refusal[];
  readonly answeredAtMs: number;
}

/** Thrown when no attempt succeeded before the deadline. */
export class NeverAnswered extends Error {
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[]) {
    const { status, detail } = refusals.at(-1) ?? { status: 0, detail: 'no attempt' };
    super(`Never answered, in ${refusals.length} attempts; the last: ${status} ${detail}`);
    this.refusals = refusals;
  }
}

/** Thrown by an attempt that may be retried. */
export class Refused extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, detail: string, retryAfterMs?: number) {
    super(detail);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const attemptMsMax = 20_000;
const [firstWaitMs, waitMsMax] = [100, 2_000];
const repeatable = [408, 409, 425, 429, 500, 502, 503, 504];

/**
 * Retries as a well-behaved client does, until the deadline: if there is no response or it says "later", with
 * exponential backoff and jitter, and according to `Retry-After`.
 *
 * @throws NeverAnswered at the deadline, or immediately after a status that is not retried
 */
export async function ask<Answer>(
  attempt: (signal: AbortSignal) => Promise<Answer>,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<Asked<Answer>> {
  const refusals: Refusal[] = [];
  const givesUpAtMs = Date.now() + deadlineMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
    signal.throwIfAborted();
    try {
      const answer = await attempt(AbortSignal.any([signal, AbortSignal.timeout(attemptMsMax)]));
      return { answer, refusals, answeredAtMs: Date.now() };
    } catch (error) {
      signal.throwIfAborted();
      const refused = error instanceof Refused ? error : undefined;
      refusals.push({ status: refused?.status ?? 0, atMs: Date.now(), detail: reasonOf(error) });
      const isRepeatable = refused === undefined || repeatable.includes(refused.status);
      if (!isRepeatable || Date.now() > givesUpAtMs) throw new NeverAnswered(refusals);
      const patience = waitMs * (0.5 + Math.random());
      await sleep(Math.min(Math.max(patience, refused?.retryAfterMs ?? 0), 5_000), undefined, { signal });
    }
  }
}

/** @throws Refused for any status other than `wanted` */
export async function expectStatus(response: Response, wanted: number): Promise<string> {
  const text = await response.text();
  if (response.status === wanted) return text;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new Refused(
    response.status,
    text.slice(0, 300),
    Number.isFinite(seconds) ? seconds * 1_000 : undefined,
  );
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
