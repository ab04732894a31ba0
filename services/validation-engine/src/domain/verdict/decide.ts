import type { ValidationResult, VerdictReason } from '@mailproof/shared-types';
import { decideCatchAll } from '../catch-all/decide-catch-all.ts';
import type { DnsFailure } from '../dns/mail-dns.ts';
import { judgeComparison, type MadeUpAnswer } from '../smtp/judge-comparison.ts';
import type { Finding } from '../smtp/open-session.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Attempt, Evidence } from './evidence.ts';

export interface Decision {
  readonly result: ValidationResult;
  readonly reason: VerdictReason;
}

/** Draws the verdict from the evidence. Whatever could not be told stays `unknown`. */
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

/** True when the attempt leaves nothing to ask other hosts of the domain. */
export function endsSearch(attempt: Attempt): boolean {
  if (attempt.kind !== 'probed' || isShutDoor(attempt.result)) {
    return false;
  }
  return !passingReasons.has(decideByProbe(attempt.result).reason);
}

/** True where another host of the same preference may say the contrary, and mail goes to either. */
export function equalsMatter(attempt: Attempt): boolean {
  return attempt.kind === 'probed' && decideByProbe(attempt.result).result !== 'unknown';
}

/** A host without service says nothing for its colleagues; senders go on to them (RFC 7504 section 4). */
function isShutDoor(result: ProbeResult): boolean {
  return result.kind === 'ended' && result.finding === 'no_service';
}

/**
 * Reasons that may be the host's and not the domain's, so that the next host may do better. A block is none of them:
 * it is an answer, and going around it through a colleague would be evasion.
 */
const passingReasons: ReadonlySet<VerdictReason> = new Set([
  'temporary_failure',
  'protocol_error',
  'session_timeout',
  'host_busy',
  'own_network_failed',
  'connection_failed',
]);

/** Where several hosts gave no answer, the reason that tells most; the rest tells less and less. */
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
    return decideAmongEquals(answers.map(({ decision }) => decision));
  }
  const reasons = new Set(attempts.flatMap(reasonOfAttempt));
  const reason = byInformation.find(candidate => reasons.has(candidate));
  if (reason !== undefined) {
    return unknown(reason);
  }
  // Every host's zone says that the host has no address. Senders return mail at once then (RFC 5321 section 5.1:
  // unusable MX records are an error, and the domain's own address must not stand in), so it will not arrive.
  return complete && attempts.length > 0
    ? { result: 'invalid', reason: 'no_mail_host' }
    : unknown('connection_failed');
}

/** The hosts that gave an answer, and what each said; several where hosts of equal preference were asked. */
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
 * What hosts say to any of which mail may go, whatever their order. One that accepts everybody leaves the domain a
 * catch-all, whatever hosts of another preference say, and what the others say is evidence. A mailbox that is
 * full or busy exists. Where one host has the mailbox, or may have it, and another one calls it missing, mail arrives
 * by chance.
 */
function decideAmongEquals(decisions: readonly Decision[]): Decision {
  const ofReason = (...reasons: readonly VerdictReason[]) =>
    decisions.find(({ reason }) => reasons.includes(reason));
  const settling = ofReason('catch_all') ?? ofReason('mailbox_full') ?? ofReason('mailbox_rate_limited');
  if (settling !== undefined) {
    return settling;
  }
  const rejection = ofReason('mailbox_missing') ?? ofReason('mailbox_disabled');
  if (rejection !== undefined) {
    const isContradicted = ofReason('mailbox_exists', 'probe_inconclusive') !== undefined;
    return isContradicted ? unknown('probe_inconclusive') : rejection;
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

/** What one host's answers mean, taken by themselves. */
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

/** The recipient was accepted; whether that says anything depends on what made-up ones got. */
function decideByComparison(madeUp: readonly MadeUpAnswer[]): Decision {
  switch (judgeComparison(madeUp)) {
    case 'accepts_everybody':
      return { result: 'catch_all', reason: 'catch_all' };
    case 'knows_recipients':
      return { result: 'ok', reason: 'mailbox_exists' };
    case 'inconclusive':
      // A greylist may know the recipient from before; who comes back learns what the made-up ones are to it.
      return unknown(
        madeUp.some(({ finding }) => finding === 'greylisted') ? 'greylisted' : 'probe_inconclusive',
      );
  }
}

/** What each finding about the recipient means; an acceptance alone means nothing yet. */
const decisions: Readonly<Record<Finding, Decision | undefined>> = {
  accepted: undefined,
  missing: { result: 'invalid', reason: 'mailbox_missing' },
  // No passing code makes an address invalid (RFC 5321 section 4.2.1).
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
