import type { DeliveryFault, WebhookPresetName } from '@mailproof/shared-types';
import { retryAfterMs } from './retry-after.ts';

/** What came back for one row. */
export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly location: string | undefined;
    }
  /** `not_allowed`: its address is none that may be contacted. */
  | { readonly kind: 'none'; readonly reason: 'unreachable' | 'too_late' | 'not_allowed' };

/** What an answer means for the row, and for the push. */
export type Judgement =
  | { readonly kind: 'delivered'; readonly statusCode: number }
  /** The whole push waits, and this was no attempt. */
  | { readonly kind: 'throttled'; readonly statusCode: number; readonly waitMs: number | undefined }
  /** `retry`: may be different next time. `refused`: as if the destination were wrong. `rejected`: this very row. */
  | {
      readonly kind: 'retry' | 'refused' | 'rejected';
      readonly statusCode: number | null;
      readonly fault: DeliveryFault;
    };

/** Statuses that say that whoever asks is not welcome, or that nobody is there: 401, 403, 404, 410. */
const refusing: ReadonlySet<number> = new Set([401, 403, 404, 410]);
/** Too slow, too early (RFC 8470): to be repeated as it is. */
const passing: ReadonlySet<number> = new Set([408, 425]);

/** What an answer means (ADR 0037). */
export function judgeAnswer(
  answer: Answer,
  { preset, now }: { readonly preset: WebhookPresetName; readonly now: Date },
): Judgement {
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
    // Following would send the row to somebody whom the customer has not named.
    return { kind: 'refused', statusCode, fault: 'redirected' };
  }
  return refusing.has(statusCode)
    ? { kind: 'refused', statusCode, fault: 'refused' }
    : { kind: 'rejected', statusCode, fault: 'rejected' };
}

/**
 * A script that has run answers with a redirect to where its text can be read, and nobody has to read it. A script that
 * threw, or returned nothing, answers 200 with a page; one that is not shared redirects to where people sign in. It is
 * not known then what it did with the row, so that the row is not sent again by itself.
 */
function judgeScript(statusCode: number, location = ''): Judgement {
  const isDone = statusCode === 302 && hostOf(location) === 'script.googleusercontent.com';
  return isDone
    ? { kind: 'delivered', statusCode }
    : { kind: 'refused', statusCode, fault: statusCode < 300 ? 'unexpected_answer' : 'redirected' };
}

function hostOf(location: string): string | undefined {
  return URL.parse(location)?.hostname;
}
