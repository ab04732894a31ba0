import type { ValidationJobWait, VerdictReason } from '@mailproof/shared-types';
import type { Finding } from '../smtp/conversation.ts';
import type { Answer } from '../validation/answer-address.ts';
import { firstDelayMs, greylistDelayMs, mayBeGreylisted } from '../validation/answer-address.ts';
import type { Validation } from '../validation/validate-address.ts';

/** When, and how often, an address of a job is probed again. */
interface Patience {
  readonly delayMs: number;
  /** The ratio of each wait to the previous one. */
  readonly factor: number;
  readonly attemptsMax: number;
}

/** Most greylists open after five minutes; one that is still closed after an hour and a half hardly ever opens. */
const greylist: Patience = { delayMs: firstDelayMs, factor: 3, attemptsMax: 4 };
/** A possible greylist that does not name itself. In any other case, one retry is enough. */
const perhapsGreylist: Patience = { delayMs: firstDelayMs, factor: 1, attemptsMax: 2 };
/** We have many sessions at the host ourselves, and come back when there is room. */
const crowd: Patience = { delayMs: 30_000, factor: 2, attemptsMax: 6 };
/** The fault may have passed. */
const fault: Patience = { delayMs: 60_000, factor: 1, attemptsMax: 2 };

const patienceOf: Partial<Record<VerdictReason, Patience>> = {
  greylisted: greylist,
  host_busy: crowd,
  own_network_failed: crowd,
  temporary_failure: fault,
  session_timeout: fault,
  connection_failed: fault,
  dns_timeout: fault,
};

/** What an address with this verdict waits for. */
export function waitOf(reason: VerdictReason): ValidationJobWait {
  switch (reason) {
    case 'greylisted':
      return 'greylisting';
    case 'host_busy':
      return 'host_limit';
    default:
      return 'retry';
  }
}

/** How a question about a made-up recipient fails, when another attempt may succeed. */
const failures: ReadonlySet<Finding> = new Set([
  'timeout',
  'closed',
  'unreachable',
  'crowded_out',
  'proxy_failed',
  'no_local_address',
]);

/** True if a host accepted the recipient, and did not answer about a made-up one in time. */
function failedToCompare({ evidence }: Validation): boolean {
  return evidence.attempts.some(
    attempt =>
      attempt.kind === 'probed' &&
      attempt.result.kind === 'answered' &&
      attempt.result.recipient === 'accepted' &&
      attempt.result.madeUp.some(({ finding }) => failures.has(finding)),
  );
}

/**
 * How long to wait before another probe of an address of a job; undefined if its verdict stands.
 *
 * @param attempts number of probes so far, including this one
 */
export function askAgainAfterMs(
  { verdict, validation, isFinal }: Answer,
  attempts: number,
): number | undefined {
  const isUncompared =
    validation !== undefined && verdict.reason === 'probe_inconclusive' && failedToCompare(validation);
  const isPerhapsGreylist = validation !== undefined && mayBeGreylisted(verdict.reason, validation.evidence);
  const patience = isPerhapsGreylist ? perhapsGreylist : isUncompared ? fault : patienceOf[verdict.reason];
  if (isFinal || verdict.result !== 'unknown' || !patience || attempts >= patience.attemptsMax) {
    return undefined;
  }
  const isStated = verdict.reason === 'greylisted' || isPerhapsGreylist;
  const statedMs = isStated && validation && greylistDelayMs(validation.evidence);
  return statedMs || patience.delayMs * patience.factor ** (attempts - 1);
}
