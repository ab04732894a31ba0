import type { VerdictReason } from '@mailproof/shared-types';
import { decideCatchAll } from '../catch-all/decide-catch-all.ts';
import type { DnsFailure } from '../dns/mail-dns.ts';
import { judgeComparison, type MadeUpAnswer } from '../smtp/ask-made-up.ts';
import type { Finding } from '../smtp/conversation.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Attempt, Decision, Evidence } from './evidence.ts';

/** Decides the verdict from the evidence. Anything that could not be determined stays `unknown`. */
export function decide({ mailHosts, attempts, complete, catchAll }: Evidence): Decision {
  switch (mailHosts.kind) {
    case 'domain_missing':
      return { result: 'invalid', reason: 'domain_missing' };
    case 'no_mail_host':
      return { result: 'invalid', reason: 'no_mail_host' };
    case 'failure':
      return unknown(reasonOfDnsFailure(mailHosts.failure));
    case 'found': {
      const decision = decideByAttempts(attempts, complete);
      return decision.result === 'catch_all' && catchAll !== undefined ? decideCatchAll(catchAll) : decision;
    }
  }
}

/** True if the attempt leaves no reason to try other hosts of the domain. */
export function endsSearch(attempt: Attempt): boolean {
  if (attempt.kind !== 'probed' || refusesSession(attempt.result)) {
    return false;
  }
  return !passingReasons.has(decideByProbe(attempt.result).reason);
}

/**
 * True if another host of the same preference may say something else, since mail may go to either: the opposite, or more
 * than a host that greylists.
 */
export function equalsMatter(attempt: Attempt): boolean {
  if (attempt.kind !== 'probed') {
    return false;
  }
  const { result, reason } = decideByProbe(attempt.result);
  return result !== 'unknown' || reason === 'greylisted';
}

/** A host without mail service says nothing about the other hosts; senders continue with those (RFC 7504 section 4). */
function refusesSession(result: ProbeResult): boolean {
  return result.kind === 'ended' && result.finding === 'no_service';
}

/**
 * Reasons that may concern the host and not the domain, so that the next host may do better. A block is not among them:
 * it is an answer, and bypassing it through another host would be evasion.
 */
const passingReasons: ReadonlySet<VerdictReason> = new Set([
  'temporary_failure',
  'protocol_error',
  'session_timeout',
  'host_busy',
  'own_network_failed',
  'connection_failed',
]);

/** If several hosts gave no answer, the first of these reasons applies: the most informative comes first. */
const byInformation: readonly VerdictReason[] = [
  'temporary_failure',
  'policy',
  'protocol_error',
  'host_busy',
  'session_timeout',
  'own_network_failed',
  'connection_failed',
  'dns_timeout',
  'dns_failure',
  'forbidden_address',
];

function decideByAttempts(attempts: readonly Attempt[], complete: boolean): Decision {
  const answers = answersIn(attempts);
  if (answers.length > 0) {
    return decideAmongEquals(
      answers.map(({ decision }) => decision),
      attempts.some(acceptsRecipient),
    );
  }
  const reasons = new Set(attempts.flatMap(reasonOfAttempt));
  const reason = byInformation.find(candidate => reasons.has(candidate));
  if (reason !== undefined) {
    return unknown(reason);
  }
  // DNS says that none of the hosts has an address. Senders then return mail at once, so it cannot arrive (RFC 5321
  // section 5.1: unusable MX records are an error, and the domain's own address must not replace them).
  return complete && attempts.length > 0
    ? { result: 'invalid', reason: 'no_mail_host' }
    : unknown('connection_failed');
}

function acceptsRecipient(attempt: Attempt): boolean {
  return (
    attempt.kind === 'probed' && attempt.result.kind === 'answered' && attempt.result.recipient === 'accepted'
  );
}

/** The hosts that gave an answer, and what each said; more than one if hosts of equal preference were asked. */
export function answersIn(
  attempts: readonly Attempt[],
): readonly { readonly host: string; readonly decision: Decision }[] {
  return attempts.flatMap(attempt =>
    attempt.kind === 'probed' && endsSearch(attempt)
      ? [{ host: attempt.host, decision: decideByProbe(attempt.result) }]
      : [],
  );
}

/**
 * The verdict of hosts of equal preference, in any order: mail may go to each of them. If one accepts every recipient,
 * the domain is a catch-all regardless of hosts of another preference, and the answers of the others are evidence. A
 * mailbox that is full or busy exists. If one host has the mailbox, or may have it, and another one calls it missing,
 * mail arrives by chance.
 *
 * @param isAccepted whether one of the hosts accepted the recipient, regardless of what that means
 */
function decideAmongEquals(decisions: readonly Decision[], isAccepted: boolean): Decision {
  const ofReason = (...reasons: readonly VerdictReason[]) =>
    decisions.find(({ reason }) => reasons.includes(reason));
  const settling = ofReason('catch_all') ?? ofReason('mailbox_full') ?? ofReason('mailbox_rate_limited');
  if (settling !== undefined) {
    return settling;
  }
  const rejection = ofReason('mailbox_missing') ?? ofReason('mailbox_disabled');
  if (rejection !== undefined) {
    // If only a greylist keeps the acceptance from being compared, a retry shows what it means.
    return isAccepted ? (ofReason('greylisted') ?? unknown('probe_inconclusive')) : rejection;
  }
  return ofReason('mailbox_exists') ?? decisions[0] ?? unknown('connection_failed');
}

function reasonOfAttempt(attempt: Attempt): VerdictReason[] {
  switch (attempt.kind) {
    case 'no_address':
      return [];
    case 'dns_failure':
      return [reasonOfDnsFailure(attempt.failure)];
    case 'forbidden':
      return ['forbidden_address'];
    case 'not_connected':
      return [decisions[attempt.failure]?.reason ?? 'connection_failed'];
    case 'probed':
      return [decideByProbe(attempt.result).reason];
  }
}

/** Decides by the answers of one host alone. */
export function decideByProbe(result: ProbeResult): Decision {
  switch (result.kind) {
    case 'smtputf8_unsupported':
      return unknown('smtputf8_unsupported');
    case 'ended':
      return decisions[result.finding] ?? unknown('policy');
    case 'answered':
      return decisions[result.recipient] ?? decideByComparison(result.madeUp);
  }
}

/** Decides for an accepted recipient: the acceptance means something only in comparison with the made-up recipients. */
function decideByComparison(madeUp: readonly MadeUpAnswer[]): Decision {
  switch (judgeComparison(madeUp)) {
    case 'accepts_everybody':
      return { result: 'catch_all', reason: 'catch_all' };
    case 'knows_recipients':
      return { result: 'ok', reason: 'mailbox_exists' };
    case 'inconclusive':
      // A greylist may know the recipient from an earlier attempt; a retry shows how it answers for the made-up ones.
      return unknown(
        madeUp.some(({ finding }) => finding === 'greylisted') ? 'greylisted' : 'probe_inconclusive',
      );
  }
}

/** The meaning of each finding about the recipient; an acceptance alone means nothing yet. */
const decisions: Readonly<Record<Finding, Decision | undefined>> = {
  accepted: undefined,
  missing: { result: 'invalid', reason: 'mailbox_missing' },
  // A transient code never makes an address invalid (RFC 5321 section 4.2.1).
  missing_for_now: unknown('temporary_failure'),
  disabled: { result: 'invalid', reason: 'mailbox_disabled' },
  full: unknown('mailbox_full'),
  rate_limited: unknown('mailbox_rate_limited'),
  greylisted: unknown('greylisted'),
  blocked: unknown('blocked'),
  policy: unknown('policy'),
  refused: unknown('policy'),
  tls_required: unknown('policy'),
  no_service: unknown('policy'),
  temporary: unknown('temporary_failure'),
  too_many_recipients: unknown('temporary_failure'),
  unexpected: unknown('protocol_error'),
  garbled: unknown('protocol_error'),
  tls_failed: unknown('protocol_error'),
  timeout: unknown('session_timeout'),
  crowded_out: unknown('host_busy'),
  closed: unknown('connection_failed'),
  unreachable: unknown('connection_failed'),
  proxy_failed: unknown('own_network_failed'),
  no_local_address: unknown('own_network_failed'),
};

function reasonOfDnsFailure(failure: DnsFailure): VerdictReason {
  return failure === 'timeout' ? 'dns_timeout' : 'dns_failure';
}

function unknown(reason: VerdictReason): Decision {
  return { result: 'unknown', reason };
}
