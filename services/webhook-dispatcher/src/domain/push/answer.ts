import type { DeliveryFault, WebhookPresetName } from '@mailproof/shared-types';

/** The result of the request for one row. */
export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly location: string | undefined;
    }
  /** `not_allowed`: the receiver's address may not be contacted. */
  | { readonly kind: 'none'; readonly reason: 'unreachable' | 'too_late' | 'not_allowed' };

/** The consequences of an answer for the row and for the push. */
export type Judgment =
  | { readonly kind: 'delivered'; readonly statusCode: number }
  /** The whole push waits; the request does not count as an attempt. */
  | { readonly kind: 'throttled'; readonly statusCode: number; readonly waitMs: number | undefined }
  /** `retry`: may succeed next time. `refused`: the destination seems wrong. `rejected`: only this row is rejected. */
  | {
      readonly kind: 'retry' | 'refused' | 'rejected';
      readonly statusCode: number | null;
      readonly fault: DeliveryFault;
    };

/** Statuses that mean that the client is not authorized or that nothing is there: 401, 403, 404, 410. */
const refusing: ReadonlySet<number> = new Set([401, 403, 404, 410]);
/** Too slow, or too early (RFC 8470): the same request is retried. */
const passing: ReadonlySet<number> = new Set([408, 425]);

/** Judges an answer (ADR 0037). */
export function judgeAnswer(
  answer: Answer,
  { preset, now }: { readonly preset: WebhookPresetName; readonly now: Date },
): Judgment {
  if (answer.kind === 'none') {
    return {
      kind: answer.reason === 'not_allowed' ? 'refused' : 'retry',
      statusCode: null,
      fault: answer.reason,
    };
  }
  const { status: statusCode } = answer;
  const waitMs = retryAfterMs(answer.retryAfter, now);
  if (statusCode === 429 || (statusCode === 503 && waitMs !== undefined)) {
    return { kind: 'throttled', statusCode, waitMs };
  }
  if (statusCode >= 500 || passing.has(statusCode)) {
    return { kind: 'retry', statusCode, fault: 'receiver_failed' };
  }
  if (preset === 'google_apps_script' && statusCode < 400) {
    return judgeScript(statusCode, answer.location);
  }
  if (statusCode >= 200 && statusCode < 300) {
    return { kind: 'delivered', statusCode };
  }
  if (statusCode >= 300 && statusCode < 400) {
    // Following the redirect would send the row to a host that the customer has not named.
    return { kind: 'refused', statusCode, fault: 'redirected' };
  }
  return refusing.has(statusCode)
    ? { kind: 'refused', statusCode, fault: 'refused' }
    : { kind: 'rejected', statusCode, fault: 'rejected' };
}

/**
 * A script that has run answers with a redirect to its output, which need not be read. A script that threw, or returned
 * nothing, answers 200 with a page; a script that is not shared redirects to a sign-in page. In those cases it is
 * unknown what the script did with the row, so the row is not resent automatically.
 */
function judgeScript(statusCode: number, location = ''): Judgment {
  const isDone = statusCode === 302 && hostOf(location) === 'script.googleusercontent.com';
  return isDone
    ? { kind: 'delivered', statusCode }
    : { kind: 'refused', statusCode, fault: statusCode < 300 ? 'unexpected_answer' : 'redirected' };
}

function hostOf(location: string): string | undefined {
  return URL.parse(location)?.hostname;
}

/** A longer wait is not plausible: most often it is a Unix timestamp sent in place of seconds. */
const waitMsMax = 7 * 86_400_000;

/** IMF-fixdate, and the two obsolete forms that a recipient still has to accept (RFC 9110 section 5.6.7). */
const dateForm = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/**
 * How long a receiver asks us to wait, in milliseconds, from `Retry-After` as seconds or as a date (RFC 9110 section
 * 10.2.3). Zero for a date in the past; undefined if the header is missing or not valid.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  // The standard has no fractions, but receivers send them.
  const waitMs = /^\d{1,12}(?:\.\d{1,9})?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : dateForm.test(text)
      ? Math.max(0, Date.parse(inUtc(text)) - now.getTime())
      : Number.NaN;
  return waitMs <= waitMsMax ? waitMs : undefined;
}

/** The asctime form has no zone and means UTC. */
function inUtc(text: string): string {
  return /(?:GMT|UTC|Z)$/.test(text) ? text : `${text} GMT`;
}

/** The longest wait before the second attempt, in milliseconds; the one before the third is four times as long. */
const firstMs = 2_000;
const factor = 4;

/** How long a row waits for its next attempt: exponential backoff, with a random factor between one half and one. */
export function retryDelayMs(attempts: number, random: () => number): number {
  return Math.round(firstMs * factor ** (attempts - 1) * (0.5 + random() / 2));
}
