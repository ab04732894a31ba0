import type { VerdictReason } from '@mailproof/shared-types';
import type { Answer } from '../answer-address.ts';
import { firstDelayMs, greylistDelayMs, mayBeGreylisted } from '../greylisting.ts';

/** When, and how often, an address of a job is asked about again. */
interface Patience {
  readonly delayMs: number;
  /** By how much each wait is longer than the one before. */
  readonly factor: number;
  readonly attemptsMax: number;
}

/** Most greylists open after five minutes; who has not opened after an hour and a half hardly will. */
const greylist: Patience = { delayMs: firstDelayMs, factor: 3, attemptsMax: 4 };
/** A greylist that does not call itself one. Whatever else it is, it is asked once more. */
const perhapsGreylist: Patience = { delayMs: firstDelayMs, factor: 1, attemptsMax: 2 };
/** We are many at the host ourselves, and come back when there is room. */
const crowd: Patience = { delayMs: 30_000, factor: 2, attemptsMax: 6 };
/** Whatever it was, it may have passed. */
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

/**
 * How long to wait ahead of asking about an address of a job again; undefined where its verdict stands.
 *
 * @param attempts times that the hosts were asked, this one included
 */
export function askAgainAfterMs({ verdict, validation }: Answer, attempts: number): number | undefined {
  const isPerhapsGreylist = validation !== undefined && mayBeGreylisted(verdict.reason, validation.evidence);
  const patience = isPerhapsGreylist ? perhapsGreylist : patienceOf[verdict.reason];
  if (verdict.result !== 'unknown' || !patience || attempts >= patience.attemptsMax) {
    return undefined;
  }
  const isStated = verdict.reason === 'greylisted' || isPerhapsGreylist;
  const statedMs = isStated && validation && greylistDelayMs(validation.evidence);
  return statedMs || patience.delayMs * patience.factor ** (attempts - 1);
}
