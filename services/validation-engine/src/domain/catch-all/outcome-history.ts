import type { AccountId, OutcomeKind } from '@mailproof/shared-types';
import type { PastOutcome } from '../outcomes/outcome-store.ts';
import { lookUp } from '../outcomes/outcome-store.ts';
import type { EvidenceSource } from './evidence-source.ts';
import type { Observation, SourceFindings } from './observation.ts';

type Finding = SourceFindings['outcome_history'];

/**
 * What happened to earlier mail to the address. An account's own outcomes count fully for it. Those of others count
 * only if at least two accounts that have paid agree, for less, and are never attributed (ADR 0017).
 */
export const outcomeHistory: EvidenceSource = {
  id: 'outcome_history',
  privacy: 'nothing',
  cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
  enabledByDefault: true,
  async gather({ outcomes }, { task, accountId }, deadline) {
    const known = await lookUp(outcomes.ofAddress(task.email, accountId), deadline);
    const past = known.filter(({ kind }) => kind !== 'not_about_mailbox');
    return { observations: [...ownIn(past, accountId), ...agreedIn(past, accountId)] };
  },
};

/** Accounts that must agree before an outcome counts for another account. */
const agreeingMin = 2;
/** An exact age would reveal when another customer wrote to the address. */
const agreedAgeStepDays = 30;

const findings: Readonly<Partial<Record<OutcomeKind, Finding>>> = {
  delivered: 'delivered',
  replied: 'replied',
  mailbox_full: 'was_full',
  mailbox_rate_limited: 'was_full',
  mailbox_missing: 'bounced',
  mailbox_disabled: 'bounced',
};

function ownIn(past: readonly PastOutcome[], accountId: AccountId | undefined): Observation[] {
  const own = past.filter(outcome => outcome.accountId === accountId);
  const last = lastOf(own);
  const finding = last && findings[last.kind];
  return last && finding ? [{ source: 'outcome_history', finding, ageDays: last.ageDays }] : [];
}

/**
 * The last outcome shows the state of the mailbox: mailboxes vanish, and come back. At a catch-all domain, mail counts
 * as delivered until it bounces. So of two outcomes at the same time the bounce came later, and a delivery on the day
 * before a bounce is the same mail.
 */
function lastOf(outcomes: readonly PastOutcome[]): PastOutcome | undefined {
  const settleDays = 1;
  const time = (outcome: PastOutcome) => outcome.ageDays - (isBad(outcome) ? settleDays : 0);
  // At the same time a reply is the strongest evidence, since a person wrote it.
  return [...outcomes].sort((one, other) => time(one) - time(other) || rank(one) - rank(other))[0];
}

function rank(outcome: PastOutcome): number {
  return isBad(outcome) ? 0 : outcome.kind === 'replied' ? 1 : 2;
}

/** Each account has one vote, its last outcome; a tie between accounts says nothing. */
function agreedIn(past: readonly PastOutcome[], accountId: AccountId | undefined): Observation[] {
  const others = past.filter(outcome => outcome.accountId !== accountId);
  const voices = [...Map.groupBy(others, outcome => outcome.accountId).values()].flatMap(
    outcomes => lastOf(outcomes) ?? [],
  );
  const bad = voices.filter(isBad);
  const good = voices.filter(voice => !isBad(voice));
  const [winners, finding] =
    good.length > bad.length ? ([good, 'agreed_delivered'] as const) : ([bad, 'agreed_bounced'] as const);
  if (winners.length < agreeingMin || good.length === bad.length) {
    return [];
  }
  // The agreement is as old as the second-youngest outcome in it.
  const ages = winners.map(({ ageDays }) => ageDays).sort((one, other) => one - other);
  const ageDays = ages[agreeingMin - 1] ?? 0;
  return [
    {
      source: 'outcome_history',
      finding,
      ageDays: Math.ceil(ageDays / agreedAgeStepDays) * agreedAgeStepDays,
    },
  ];
}

function isBad({ kind }: PastOutcome): boolean {
  return findings[kind] === 'bounced';
}
