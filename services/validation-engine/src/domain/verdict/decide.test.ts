import { describe, expect, test } from '@jest/globals';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import type { MadeUpAnswer } from '../smtp/ask-made-up.ts';
import type { Finding } from '../smtp/conversation.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import { decide, endsSearch } from './decide.ts';
import type { Attempt } from './evidence.ts';

const found: MailHosts = { kind: 'found', preferred: 'mx', hosts: [{ name: 'mx' }], hostsLeftOut: 0 };

function verdictOf(attempts: readonly Attempt[], complete = true): string {
  const { result, reason } = decide({ mailHosts: found, attempts, complete });
  return `${result} ${reason}`;
}

function probed(result: ProbeResult): Attempt {
  return { kind: 'probed', host: 'mx', address: '192.0.2.1', result, transcript: [] };
}

function answered(
  recipient: Finding,
  ...madeUp: readonly (Finding | readonly [Finding, 'first'])[]
): Attempt {
  const answers = madeUp.map(
    (answer, index): MadeUpAnswer => ({
      shape: index === 0 ? 'alike' : 'random',
      finding: typeof answer === 'string' ? answer : answer[0],
      localPart: 'nobody',
      first: typeof answer !== 'string',
    }),
  );
  return probed({ kind: 'answered', recipient, madeUp: answers, comparedMsAgo: 0 });
}

const ended = (finding: Finding) => probed({ kind: 'ended', stage: 'mail', finding });
const noAddress: Attempt = { kind: 'no_address', host: 'mx' };
const forbidden: Attempt = { kind: 'forbidden', host: 'mx' };
const dead: Attempt = { kind: 'not_connected', host: 'mx', address: '192.0.2.1', failure: 'unreachable' };
const lost: Attempt = { kind: 'dns_failure', host: 'mx', failure: 'timeout' };
const broken: Attempt = { kind: 'dns_failure', host: 'mx', failure: 'servfail' };

describe('what a host answers about the recipient', () => {
  test.each<readonly [Finding, string]>([
    ['missing', 'invalid mailbox_missing'],
    ['disabled', 'invalid mailbox_disabled'],
    ['full', 'unknown mailbox_full'],
    ['rate_limited', 'unknown mailbox_rate_limited'],
    ['greylisted', 'unknown greylisted'],
    ['blocked', 'unknown blocked'],
    ['policy', 'unknown policy'],
    ['refused', 'unknown policy'],
    ['temporary', 'unknown temporary_failure'],
    ['too_many_recipients', 'unknown temporary_failure'],
    ['unexpected', 'unknown protocol_error'],
    ['garbled', 'unknown protocol_error'],
    ['timeout', 'unknown session_timeout'],
    ['closed', 'unknown connection_failed'],
  ])('%s: %s', (finding, verdict) => {
    expect(verdictOf([answered(finding)])).toBe(verdict);
  });
});

describe('an accepted recipient', () => {
  test.each<readonly [string, Attempt]>([
    ['ok mailbox_exists', answered('accepted', 'missing', 'missing')],
    ['ok mailbox_exists', answered('accepted', 'missing', 'temporary')],
    ['ok mailbox_exists', answered('accepted', 'policy', 'missing')],
    ['ok mailbox_exists', answered('accepted', ['refused', 'first'], ['refused', 'first'])],
    ['catch_all catch_all', answered('accepted', 'accepted')],
    ['catch_all catch_all', answered('accepted', 'missing', 'accepted')],
    ['unknown probe_inconclusive', answered('accepted')],
    ['unknown probe_inconclusive', answered('accepted', 'temporary', 'temporary')],
    ['unknown probe_inconclusive', answered('accepted', 'policy', 'policy')],
    ['unknown probe_inconclusive', answered('accepted', 'blocked', 'blocked')],
    ['ok mailbox_exists', answered('accepted', 'disabled', 'disabled')],
    ['unknown probe_inconclusive', answered('accepted', 'full', 'full')],
    ['ok mailbox_exists', answered('accepted', ['policy', 'first'], ['policy', 'first'])],
    ['unknown probe_inconclusive', answered('accepted', 'timeout')],
    ['unknown probe_inconclusive', answered('accepted', 'closed')],
    ['unknown probe_inconclusive', answered('accepted', ['refused', 'first'])],
    ['unknown greylisted', answered('accepted', 'greylisted', 'greylisted')],
    ['unknown greylisted', answered('accepted', 'greylisted', 'timeout')],
    ['unknown greylisted', answered('accepted', 'greylisted', 'missing')],
    ['ok mailbox_exists', answered('accepted', 'missing', 'greylisted')],
    // Refusals may depend on the form of a name.
    ['unknown probe_inconclusive', answered('accepted', 'temporary', 'missing')],
    ['catch_all catch_all', answered('accepted', 'greylisted', 'accepted')],
    ['unknown probe_inconclusive', answered('accepted', ['refused', 'first'], 'temporary')],
    ['unknown probe_inconclusive', answered('accepted', 'refused', 'refused')],
  ])('is %s after %j', (verdict, attempt) => {
    expect(verdictOf([attempt])).toBe(verdict);
  });
});

describe('a session that ended before RCPT', () => {
  test.each<readonly [Finding, string]>([
    ['blocked', 'unknown blocked'],
    ['policy', 'unknown policy'],
    ['temporary', 'unknown temporary_failure'],
    ['closed', 'unknown connection_failed'],
    ['tls_required', 'unknown policy'],
    ['no_service', 'unknown policy'],
    ['tls_failed', 'unknown protocol_error'],
  ])('by %s is %s', (finding, verdict) => {
    expect(verdictOf([ended(finding)])).toBe(verdict);
  });
});

describe('several hosts', () => {
  test.each<readonly [string, readonly Attempt[]]>([
    ['ok mailbox_exists', [dead, answered('accepted', 'missing', 'missing')]],
    ['invalid mailbox_missing', [ended('temporary'), answered('missing')]],
    ['unknown session_timeout', [dead, ended('timeout')]],
    ['unknown temporary_failure', [ended('temporary'), dead]],
    ['unknown temporary_failure', [ended('no_service'), ended('temporary')]],
    ['unknown policy', [dead, ended('no_service')]],
    ['ok mailbox_exists', [ended('no_service'), answered('accepted', 'missing', 'missing')]],
    ['unknown connection_failed', [forbidden, dead]],
    ['unknown connection_failed', [noAddress, dead]],
    ['unknown forbidden_address', [forbidden, noAddress]],
    ['unknown dns_timeout', [noAddress, lost]],
    ['unknown dns_failure', [noAddress, broken]],
    ['invalid no_mail_host', [noAddress, noAddress]],
  ])('give %s', (verdict, attempts) => {
    expect(verdictOf(attempts)).toBe(verdict);
  });

  test('are not written off while one of them has not been looked for', () => {
    expect(verdictOf([noAddress], false)).toBe('unknown connection_failed');
    expect(verdictOf([], false)).toBe('unknown connection_failed');
  });

  test.each<readonly [string, Attempt, boolean]>([
    ['a verdict on the recipient', answered('missing'), true],
    ['a block', ended('blocked'), true],
    ['greylisting', answered('greylisted'), true],
    ['an inconclusive comparison', answered('accepted', 'timeout'), true],
    ['a refusal by policy', ended('policy'), true],
    ['a door without a service behind it', ended('no_service'), false],
    ['a passing fault', answered('temporary'), false],
    ['silence', ended('timeout'), false],
    ['a dead host', dead, false],
    ['a forbidden host', forbidden, false],
  ])('are asked after %s: %#', (_name, attempt, ends) => {
    expect(endsSearch(attempt)).toBe(ends);
  });
});

describe('what DNS says', () => {
  test.each<readonly [MailHosts, string]>([
    [{ kind: 'domain_missing' }, 'invalid domain_missing'],
    [{ kind: 'no_mail_host' }, 'invalid no_mail_host'],
    [{ kind: 'failure', failure: 'timeout' }, 'unknown dns_timeout'],
    [{ kind: 'failure', failure: 'servfail' }, 'unknown dns_failure'],
    [{ kind: 'failure', failure: 'refused' }, 'unknown dns_failure'],
    [{ kind: 'failure', failure: 'malformed' }, 'unknown dns_failure'],
  ])('%j is %s', (mailHosts, verdict) => {
    const { result, reason } = decide({ mailHosts, attempts: [], complete: true });
    expect(`${result} ${reason}`).toBe(verdict);
  });
});
