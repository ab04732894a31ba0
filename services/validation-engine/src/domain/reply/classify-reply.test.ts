import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findProvider, providerTable } from '../providers/find-provider.ts';
import { readReply } from '../smtp/reply.ts';
import { classifyReply, findRule, replyRules } from './classify-reply.ts';
import { type Meaning, otherMeanings, recipientMeanings } from './meaning.ts';
import type { ReplyRule } from './reply-rule.ts';

/** Reads a line as it stands beside a rule; a hyphen after the code belongs to the first of several lines. */
function replyOf(line: string) {
  return readReply(Number(line.slice(0, 3)), [line.slice(4)]);
}

function stageOf(rule: ReplyRule) {
  return rule.stages?.[0] ?? 'rcpt';
}

const everySample = replyRules.flatMap(rule => rule.samples.map(sample => ({ rule, sample })));

describe('the rules', () => {
  test.each(everySample)('read $sample as $rule.meaning', ({ rule, sample }) => {
    expect(findRule(replyOf(sample), stageOf(rule), rule.providers?.[0])?.meaning).toBe(rule.meaning);
  });

  test('are each needed for a line of their own', () => {
    const idle = replyRules.filter(
      rule =>
        !rule.samples.some(line => findRule(replyOf(line), stageOf(rule), rule.providers?.[0]) === rule),
    );
    expect(idle).toEqual([]);
  });

  test('name only providers of the table', () => {
    const known = new Set(providerTable.flatMap(([, entries]) => entries.map(({ id }) => id)));
    const named = replyRules.flatMap(({ providers }) => providers ?? []);
    expect(named.filter(id => !known.has(id))).toEqual([]);
  });

  test('stand on at least 130 real lines', () => {
    expect(everySample.length).toBeGreaterThanOrEqual(130);
  });
});

/** Real lines as single hosts send them to RCPT: host, line, meaning. */
const atRcpt: readonly (readonly [string, string, Meaning])[] = [
  ['mx.a.example', '250 2.1.5 Ok', 'accepted'],
  ['mx.a.example', '251 User not local; will forward', 'accepted'],
  ['mx.a.example', '252 2.0.0 Cannot VRFY user, but will accept message', 'accepted'],
  ['mx.a.example', '220 mx.a.example ESMTP', 'unexpected'],
  ['mx.a.example', '354 End data with <CR><LF>.<CR><LF>', 'unexpected'],
  ['mx.a.example', '550', 'refused'],
  ['mx.a.example', '550 Requested action not taken: mailbox unavailable', 'refused'],
  ['mx.a.example', '550 Rejected', 'refused'],
  ['mx.a.example', '550 <ada@a.example>: Recipient address rejected', 'refused'],
  ['mx.a.example', '450 4.1.1 <ada@a.example>: Recipient address rejected: unverified address', 'temporary'],
  ['mx.a.example', '450 4.1.1 User unknown in local recipient table', 'temporary'],
  ['mx.a.example', '450 4.2.1 Mailbox disabled for the moment', 'temporary'],
  ['mx.a.example', '451 4.3.0 <ada@a.example>: Temporary lookup failure', 'temporary'],
  ['mx.a.example', '451 Temporary local problem - please try later', 'temporary'],
  ['mx.a.example', '452 4.3.1 Insufficient system storage', 'temporary'],
  ['mx.a.example', '421 4.3.2 All server ports are busy', 'temporary'],
  ['mx.a.example', '451 4.7.1 <ada@a.example>: Recipient address rejected: Greylisted', 'greylisted'],
  ['mx.a.example', '554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied', 'blocked'],
  [
    'mx.a.example',
    '550 5.1.1 <spamhaus.blocked@a.example>: User unknown in virtual mailbox table',
    'missing',
  ],
  ['mx.a.example', '550 5.7.1 <user.unknown@a.example>: Recipient address rejected: Access denied', 'policy'],
  ['mx.a.example', '552 5.3.4 Message size exceeds fixed limit', 'refused'],
  ['mx.a.example', '550 5.5.1 Protocol error', 'policy'],
  ['mx.a.example', '550 4.2.1 The codes of this line contradict each other', 'refused'],
  [
    'mx.a.example',
    '550-Verification failed for <p@c.example> No Such User Here Sender verify failed',
    'policy',
  ],
  ['mx.a.example', '550 5.1.8 <p@c.example>: Sender address rejected: Domain not found', 'policy'],
  ['mx.a.example', '552 1 Requested mail action aborted, mailbox not found', 'missing'],
  ['mta5.am0.yahoodns.net', '552 1 Requested mail action aborted, mailbox not found', 'missing'],
  [
    'x.olc.protection.outlook.com',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
    'missing',
  ],
  ['mx01.gmx.net', '550 Requested action not taken: mailbox unavailable', 'missing'],
  [
    'mx01.gmx.net',
    '550 Requested action not taken: mailbox unavailable For explanation visit https://postmaster.gmx.net/en/error-messages?ip=192.0.2.1&c=hi',
    'refused',
  ],
  ['a.mail.protection.outlook.com', '550 5.4.1 Recipient address rejected: Access denied.', 'missing'],
  ['a.mail.protection.outlook.com', '550 5.7.606 Access denied, banned sending IP [192.0.2.1].', 'blocked'],
  ['a.mail.protection.outlook.com', '550 5.7.64 TenantAttribution; Relay Access Denied', 'policy'],
  [
    'a.mail.protection.outlook.com',
    '451 4.7.500 Server busy. Please try again later from [192.0.2.1].',
    'blocked',
  ],
  ['us-smtp-inbound-1.mimecast.com', '503 user unknown', 'missing'],
  ['us-smtp-inbound-1.mimecast.com', '451 Recipient temporarily unavailable', 'greylisted'],
  ['mx3.qq.com', '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1', 'missing'],
  ['mx3.qq.com', '550 Mailbox unavailable or access denined', 'rate_limited'],
  ['mx01.mail.icloud.com', '550 5.1.1 <nobody@icloud.com>: user does not exist', 'missing'],
  ['mx.a.example', '550 Mailbox temporarily disabled', 'refused'],
  ['mx.a.example', '550 5.2.1 Message blocked', 'refused'],
  ['mx.a.example', '550 SMTP AUTH required: unknown user', 'policy'],
  ['mx.a.example', '550 5.1.1 Relaying denied', 'policy'],
  ['mx.a.example', '550 5.1.1 relay to <ada@a.example> prohibited', 'policy'],
  ['mx.a.example', '550 5.1.1 <ada@a.example>: User unknown in relay recipient table', 'missing'],
  ['mx.a.example', '554 5.7.1 unknown user or relay denied', 'policy'],
  ['mx.a.example', '550 5.7.1 Your IP address is unknown', 'policy'],
  ['mx.a.example', '550 client address is invalid', 'policy'],
  ['mx.a.example', '550 Sender user unknown', 'policy'],
  ['mx.a.example', '550 The domain of the sender does not exist in DNS', 'policy'],
  ['mx.a.example', '550 DNS entry for 192.0.2.1 does not exist', 'policy'],
  ['mx.a.example', '550 Originator address unknown', 'policy'],
  ['mx.a.example', '550 Your mail server address is unknown to us', 'policy'],
  ['mx.a.example', '454 4.7.0 TLS required', 'tls_required'],
  [
    'a.ess.barracudanetworks.com',
    '550 permanent failure for one or more recipients (ada@a.example:550 5.7.1 relay denied)',
    'policy',
  ],
  [
    'aspmx.l.google.com',
    '550-5.2.1 The email account that you tried to reach is disabled. Learn more at',
    'disabled',
  ],
  ['a.mail.protection.outlook.com', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup', 'policy'],
  ['mx01.mail.icloud.com', '550 5.1.6 recipient no longer on server: nobody@icloud.com', 'missing'],
  ['mx01.mail.icloud.com', '550 5.1.1 <ada@icloud.com>: inactive email address', 'disabled'],
  ['us-smtp-inbound-1.mimecast.com', '550 Administrative prohibition - envelope blocked', 'policy'],
];

describe('an answer to RCPT', () => {
  test.each(atRcpt)('%s: %s means %s', (host, line, meaning) => {
    expect(classifyReply(replyOf(line), 'rcpt', findProvider(host)?.id)).toBe(meaning);
  });
});

describe('whatever a host says', () => {
  const stages = ['greeting', 'ehlo', 'helo', 'starttls', 'mail', 'rset'] as const;

  test.each(stages)('nothing at %s speaks of the mailbox', stage => {
    const said = everySample.map(({ rule, sample }) =>
      classifyReply(replyOf(sample), stage, rule.providers?.[0]),
    );
    expect(
      said.filter(meaning => ['missing', 'disabled', 'full', 'rate_limited', 'refused'].includes(meaning)),
    ).toEqual([]);
  });

  test('a 4xx never means that the mailbox is missing or disabled', () => {
    const said = everySample.map(({ rule, sample }) =>
      classifyReply(
        readReply(450, [sample.slice(4).replace(/\b5\.(\d)/g, '4.$1')]),
        'rcpt',
        rule.providers?.[0],
      ),
    );
    expect(said.filter(meaning => meaning === 'missing' || meaning === 'disabled')).toEqual([]);
  });

  test.each([
    'no.such.user',
    'user-unknown',
    'mailbox_full',
    'blacklist',
    'greylisted',
    '"no such user"',
    '"user \\" unknown"',
    '"<mailbox not found>"',
  ])('the echoed recipient %s does not sway the reading', localPart => {
    expect(classifyReply(replyOf(`550 <${localPart}@a.example>: Rejected`), 'rcpt')).toBe('refused');
    expect(classifyReply(replyOf(`550 ${localPart}@[192.0.2.1] Rejected`), 'rcpt')).toBe('refused');
  });

  test.each(['x', '"', 'a@', 'your ip ', 'user ', 'sender '])('64 KiB of %j are soon read', word => {
    const text = word.repeat(65_536 / word.length);
    const startedAtMs = performance.now();
    classifyReply(readReply(550, [text]), 'rcpt', 'gmx');
    expect(performance.now() - startedAtMs).toBeLessThan(100);
  });

  test('any text has a meaning', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        fc.array(fc.string({ unit: 'binary' })),
        (code, texts) => {
          expect([...recipientMeanings, ...otherMeanings]).toContain(
            classifyReply(readReply(code, texts), 'rcpt'),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
