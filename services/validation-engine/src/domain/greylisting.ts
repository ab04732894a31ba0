import type { VerdictReason } from '@mailproof/shared-types';
import { isThrottle } from './host-gate/throttle.ts';
import type { Finding } from './smtp/open-session.ts';
import type { Reply } from './smtp/reply.ts';
import type { Evidence } from './verdict/evidence.ts';

/** Most greylists open after five minutes; a minute more is for their clocks. */
export const firstDelayMs = 360_000;

/** The last comes sixteen hours after the first attempt, when most hosts have long let us in. */
const retriesMax = 6;
const delayFactor = 3;
const delayMsMax = 6 * 3_600_000;

/**
 * How long to wait ahead of a further retry, or nothing when enough have been made.
 *
 * @param attempts those ahead of the retry that has just failed, the first one included
 */
export function nextDelayMs(attempts: number): number | undefined {
  return attempts >= retriesMax ? undefined : Math.min(delayMsMax, firstDelayMs * delayFactor ** attempts);
}

/**
 * True for a passing refusal of a recipient that names no other ground. It may come from a greylist, which is free to
 * word its reply as it likes (RFC 6647); full mailboxes, blocks, limits and demands for TLS have findings of
 * their own, and a host that hangs up or slows us down speaks of the session.
 */
export function isPlainDeferral(finding: Finding, reply: Reply | undefined): boolean {
  return (
    finding === 'temporary' &&
    reply !== undefined &&
    reply.code !== 421 &&
    !isThrottle({ kind: 'reply', reply })
  );
}

/** True where a verdict is open because a host put a recipient off so: the real one, or a made-up one beside it. */
export function mayBeGreylisted(reason: VerdictReason, { attempts }: Pick<Evidence, 'attempts'>): boolean {
  if (reason !== 'temporary_failure' && reason !== 'probe_inconclusive') {
    return false;
  }
  return attempts.some(
    attempt =>
      attempt.kind === 'probed' &&
      attempt.result.kind === 'answered' &&
      (isPlainDeferral(attempt.result.recipient, attempt.result.reply) ||
        attempt.result.madeUp.some(({ finding, reply }) => isPlainDeferral(finding, reply))),
  );
}

/** Hosts that say when to come back, each with a line that was seen. */
const statedDelays: readonly { pattern: RegExp; toMs: (match: RegExpExecArray) => number }[] = [
  // 451 4.7.1 Greylisting in action, please come back in 00:05:00
  {
    pattern: /\b(\d{1,2}):(\d{2}):(\d{2})\b/,
    toMs: ([, hours, minutes, seconds]) =>
      (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000,
  },
  // 450 4.2.0 <ada@ordinary.example>: Recipient address rejected: Greylisted for 300 seconds
  // 451 4.7.1 Greylisted, try again in 294 seconds
  { pattern: /\b(\d{1,6}) ?(?:s|secs?|seconds?)\b/i, toMs: ([, seconds]) => Number(seconds) * 1_000 },
  // 451 You have been greylisted. Please try again in 5 minutes.
  { pattern: /\b(\d{1,4}) ?(?:min|minutes?)\b/i, toMs: ([, minutes]) => Number(minutes) * 60_000 },
];

const statedDelayMsMax = 24 * 3_600_000;
/** Coming back to the second would find the host's clock a moment behind. */
const graceMs = 2_000;

/** The delay that a host asked for in words, if one did. */
export function greylistDelayMs({ attempts }: Pick<Evidence, 'attempts'>): number | undefined {
  for (const attempt of attempts) {
    const exchanges = attempt.kind === 'probed' ? attempt.transcript : [];
    for (const { stage, outcome } of exchanges) {
      if (
        stage === 'rcpt' &&
        outcome.kind === 'reply' &&
        outcome.reply.code >= 400 &&
        outcome.reply.code < 500
      ) {
        const delayMs = readDelayMs(outcome.reply.lines.join(' '));
        if (delayMs !== undefined) {
          return delayMs;
        }
      }
    }
  }
  return undefined;
}

/** Reads a time span out of a reply's text. */
export function readDelayMs(text: string): number | undefined {
  for (const { pattern, toMs } of statedDelays) {
    const match = pattern.exec(text);
    const delayMs = match ? toMs(match) : 0;
    if (delayMs > 0 && delayMs <= statedDelayMsMax) {
      return delayMs + graceMs;
    }
  }
  return undefined;
}
