import type { VerdictReason } from '@mailproof/shared-types';
import type { Decision } from '../verdict/decide.ts';
import type { Weighing } from './weigh.ts';

/** The posterior from which on an address counts as confirmed. */
export const confirmedFrom = 0.95;

/** Draws the verdict on an address whose domain accepts everybody. */
export function decideCatchAll({
  observations,
  posterior,
}: Pick<Weighing, 'observations' | 'posterior'>): Decision {
  const said = new Set<string>(
    observations.filter(({ source }) => source === 'published_mx').map(({ finding }) => finding),
  );
  const rejection = rejections.find(([finding]) => said.has(finding));
  const acceptance = obstacles.find(([finding]) => said.has(finding));
  const contradictory = rejection !== undefined && (acceptance !== undefined || said.has('knows_recipient'));
  // Hosts that contradict each other decide nothing; both sides stand in the sum.
  if (!contradictory) {
    if (rejection !== undefined) {
      return { result: 'invalid', reason: rejection[1] };
    }
    if (acceptance !== undefined) {
      return { result: 'unknown', reason: acceptance[1] };
    }
  }
  const confirmed = observations.some(({ addressSpecific, llr }) => addressSpecific && llr > 0);
  return confirmed && posterior >= confirmedFrom
    ? { result: 'catch_all_validated', reason: 'evidence_confirms' }
    : { result: 'catch_all', reason: 'catch_all' };
}

/** A refusal of this very recipient by a host that may take mail for the domain. */
const rejections: readonly (readonly [finding: string, reason: VerdictReason])[] = [
  ['missing', 'mailbox_missing'],
  ['disabled', 'mailbox_disabled'],
];

/** The mailbox exists, and yet mail may not arrive now. */
const obstacles: readonly (readonly [finding: string, reason: VerdictReason])[] = [
  ['full', 'mailbox_full'],
  ['rate_limited', 'mailbox_rate_limited'],
];
