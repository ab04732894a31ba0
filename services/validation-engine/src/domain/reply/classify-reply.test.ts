import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type RealReply, realReplies } from '../../../test/replies/read-replies.ts';
import { findProvider, providerTable } from '../providers/find-provider.ts';
import { readReply } from '../smtp/reply.ts';
import type { Stage } from '../smtp/transcript.ts';
import { classifyReply, findRule, replyRules } from './classify-reply.ts';
import { aboutUs, undecided } from './doubt-rules.ts';
import { type Meaning, otherMeanings, recipientMeanings } from './meaning.ts';

/** Reads a reply in wire form; all lines but the last have a hyphen after the code. */
function replyOf(line: string) {
  return readReply(
    Number(line.slice(0, 3)),
    line.split('\n').map(text => text.slice(4)),
  );
}

const sourced = new Map(realReplies.map(real => [`${real.provider} ${real.line}`, real]));

/** Finds a rule's sample in the table, with the provider that sent it. */
function realLineOf(sample: string, providers: readonly string[] | undefined): RealReply | undefined {
  return providers === undefined
    ? (sourced.get(`undefined ${sample}`) ?? realReplies.find(({ line }) => line === sample))
    : providers.map(id => sourced.get(`${id} ${sample}`)).find(real => real !== undefined);
}

const everySample = replyRules.flatMap(rule => rule.samples.map(sample => ({ rule, sample })));

describe('the real lines', () => {
  test.each(realReplies)(
    '$provider at $stage: $line means $meaning',
    ({ line, stage, provider, meaning }) => {
      expect(classifyReply(replyOf(line), stage, provider)).toBe(meaning);
    },
  );

  test('make no address invalid at any other host, where they do not at their own', () => {
    const anybody = [
      undefined,
      ...new Set(providerTable.flatMap(([, entries]) => entries.map(({ id }) => id))),
    ];
    const harmless = realReplies.filter(({ meaning }) => meaning !== 'missing' && meaning !== 'disabled');
    const turned = harmless.flatMap(({ line, stage }) =>
      anybody
        .filter(id => ['missing', 'disabled'].includes(classifyReply(replyOf(line), stage, id)))
        .map(id => `${id}: ${line}`),
    );
    expect(turned).toEqual([]);
  });

  test('are more than 600, each once and each with its source', () => {
    expect(realReplies.length).toBeGreaterThan(600);
    expect(new Set(realReplies.map(({ provider, stage, line }) => `${provider} ${stage} ${line}`)).size).toBe(
      realReplies.length,
    );
    expect(realReplies.filter(({ source }) => source.length < 10)).toEqual([]);
  });

  test('name only providers of the table, and hold no address of a person', () => {
    const known = new Set(['gmail', ...providerTable.flatMap(([, entries]) => entries.map(({ id }) => id))]);
    expect(realReplies.filter(({ provider }) => provider !== undefined && !known.has(provider))).toEqual([]);
    const addresses = /@(?:[\w-]+\.)*(?:example|net|com|jp|ru|es|fr|pod)\b/;
    const names = /\b(?:ada|nobody|former|full|probe|root|delist|abuse|abuse_rbl|tobr|tosa)@|<\.@/;
    const addressed = realReplies.filter(({ line }) => addresses.test(line));
    expect(addressed.length).toBeGreaterThan(100);
    expect(addressed.filter(({ line }) => !names.test(line))).toEqual([]);
  });
});

describe('the rules', () => {
  test('are based only on real replies', () => {
    expect(
      everySample.filter(({ rule, sample }) => realLineOf(sample, rule.providers) === undefined),
    ).toEqual([]);
  });

  test.each(everySample)('read $sample as $rule.meaning', ({ rule, sample }) => {
    const { stage, provider } = realLineOf(sample, rule.providers) ?? { stage: 'rcpt' as const };
    expect(findRule(replyOf(sample), stage, provider)?.meaning).toBe(rule.meaning);
  });

  test('are each needed for a line of the samples', () => {
    const idle = replyRules.filter(
      rule =>
        !rule.samples.some(sample => {
          const { stage = 'rcpt', provider } = realLineOf(sample, rule.providers) ?? {};
          return findRule(replyOf(sample), stage, provider ?? rule.providers?.[0]) === rule;
        }),
    );
    expect(idle).toEqual([]);
  });

  test('name only providers of the table', () => {
    const known = new Set(providerTable.flatMap(([, entries]) => entries.map(({ id }) => id)));
    const named = replyRules.flatMap(({ providers }) => providers ?? []);
    expect(named.filter(id => !known.has(id))).toEqual([]);
  });
});

describe('the doubts', () => {
  const doubts = [...aboutUs, ...undecided];

  test.each(doubts)('$about Each word is in a sample', ({ words, samples }) => {
    const texts = samples.map(sample => sample.toLowerCase().replace('<ada@a.example>', '<address>'));
    const idle = words.filter(word => !texts.some(text => new RegExp(`\\b(?:${word.source})\\b`).test(text)));
    expect(idle).toEqual([]);
  });

  test('make no address invalid', () => {
    const invalid = doubts
      .flatMap(({ samples }) => samples)
      .filter(sample => ['missing', 'disabled'].includes(classifyReply(replyOf(sample), 'rcpt')));
    expect(invalid).toEqual([]);
  });
});

/** Composed to test the limits of the rules: host, line, meaning. */
const limits: readonly (readonly [string, string, Meaning])[] = [
  ['mx.a.example', '250 2.1.5 Ok', 'accepted'],
  ['mx.a.example', '550 5.1.1 Aucun utilisateur ne correspond à cette adresse', 'missing'],
  ['mx.a.example', '550 Aucun compte ne correspond à votre adresse', 'refused'],
  ['mx.a.example', '550 5.1.1 <ada@a.example> does not match any of our users', 'missing'],
  ['mx.a.example', '550 From does not match any account', 'refused'],
  ['mx.a.example', '550 The remote address does not match any account', 'refused'],
  ['mx.a.example', '550 You have no active account', 'refused'],
  ['mx.a.example', '550 Die E-Mail-Adresse ist auf diesem Server nicht eingerichtet', 'missing'],
  ['mx.a.example', '550 Weiterleitung ist für dieses Konto nicht eingerichtet', 'refused'],
  ['mx.a.example', '550 Der Empfänger hat IPv6 nicht eingerichtet', 'refused'],
  ['mx.a.example', '251 User not local; will forward', 'accepted'],
  ['mx.a.example', '252 2.0.0 Cannot VRFY user, but will accept message', 'accepted'],
  ['mx.a.example', '220 mx.a.example ESMTP', 'unexpected'],
  ['mx.a.example', '354 End data with <CR><LF>.<CR><LF>', 'unexpected'],
  ['mx.a.example', '421 4.7.1 <unknown[192.0.2.1]>: Client host rejected: server too busy', 'temporary'],
  ['mx.a.example', '421 Client host rejected: the system is too busy, try later', 'temporary'],
  ['mx.a.example', '421 4.7.1 Client host rejected: Access denied', 'blocked'],
  ['mx.a.example', '450 4.1.1 <ada@a.example>: User unknown', 'missing_for_now'],
  ['mx.a.example', '450 No such user here', 'missing_for_now'],
  [
    'mx.a.example',
    '450 4.1.1 <ada@a.example>: Recipient address rejected: undeliverable address: host 192.0.2.7[192.0.2.7] said: 550 5.1.1 <ada@a.example>: User unknown (in reply to RCPT TO command)',
    'missing_for_now',
  ],
  [
    'mx.a.example',
    '450 4.1.1 <ada@a.example>: Recipient address rejected: unverified address: Address verification in progress',
    'temporary',
  ],
  [
    'mx.a.example',
    '450 4.1.1 <ada@a.example>: Recipient address rejected: unverified address: connect to 192.0.2.7[192.0.2.7]:25: Connection refused',
    'temporary',
  ],
  ['mx.a.example', '450 4.1.1 <ada@a.example>: Recipient address rejected', 'temporary'],
  ['mx.a.example', '450 4.1.1 Too many unknown users from your address, rate limited', 'temporary'],
  ['mx.a.example', '450 4.7.1 User unknown, greylisted', 'greylisted'],
  ['d1.ess.barracudanetworks.com', '550 Blocked', 'blocked'],
  ['mx.a.example', '550', 'refused'],
  ['mx.a.example', '550 Requested action not taken: mailbox unavailable', 'refused'],
  ['mx.a.example', '550 <ada@a.example>: Recipient address rejected', 'refused'],
  ['mx.a.example', '550 4.2.1 The codes of this line contradict each other', 'refused'],
  ['mx.a.example', '552 5.3.4 Message size exceeds fixed limit', 'refused'],
  [
    'mx.a.example',
    '550 5.1.1 <spamhaus.blocked@a.example>: User unknown in virtual mailbox table',
    'missing',
  ],
  ['mx.a.example', '550 5.7.1 <user.unknown@a.example>: Recipient address rejected: Access denied', 'policy'],
  ['mx.a.example', '550 5.4.1 Recipient address rejected: Access denied', 'refused'],
  ['mta5.am0.yahoodns.net', '552 1 Requested mail action aborted, mailbox not found', 'missing'],
  ['x.olc.protection.outlook.com', '550 5.5.0 Requested action not taken: mailbox unavailable', 'missing'],
  [
    'mx01.gmx.net',
    '550 Requested action not taken: mailbox unavailable https://p.gmx.net/e?ip=192.0.2.1',
    'refused',
  ],
  ['a.mail.protection.outlook.com', '550 5.4.1 Recipient address rejected: Access denied.', 'missing'],
  ['mx.a.example', '454 4.7.0 TLS required', 'tls_required'],
];

describe('an answer to RCPT', () => {
  test.each(limits)('%s: %s means %s', (host, line, meaning) => {
    expect(classifyReply(replyOf(line), 'rcpt', findProvider(host)?.id)).toBe(meaning);
  });
});

/** Composed to mislead: each is about us, our session or a rule, in the words of a missing mailbox. */
const misleading = [
  '550 5.1.0 Message rejected',
  '550 5.1.0 delivery failed',
  '550 5.1.1 The from address is not one of your addresses',
  '550 5.1.2 User rejected',
  '550 5.1.1 recipient unknown: verify from ldap failed',
  '550 5.2.1 Mailbox disabled for mail over IPv6: this host does not accept email over IPv6',
  '550 5.7.1 <ada@a.example>: Recipient address rejected: user unknown sender domain',
  '550 5.1.1 <probe@c.example>: Sender address rejected: User unknown in virtual mailbox table',
  '550 5.1.1 sender address rejected: user unknown in local recipient table',
  '550 5.1.8 Sender domain not found',
  '550 5.1.1 Sender does not exist',
  '550 5.1.0 Originator address unknown',
  "553 5.1.1 sorry, that domain isn't in my list of allowed rcpthosts",
  "553 5.1.2 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
  '550 5.1.1 <ada@full.example> relaying denied: unknown user',
  '550 5.1.2 Relay not allowed.',
  '550 5.1.1 Client host rejected: no such user',
  '550 5.1.1 Your IP address is not registered: invalid recipient',
  '550 5.1.1 Mailbox unavailable. Your host is blacklisted',
  '550 5.1.1 Rejected by reputation filter: invalid mailbox',
  '550 5.1.1 Address rejected, see https://www.spamhaus.org/query/ip/192.0.2.1',
  '550 5.1.1 SPF check failed: user not found',
  '550 5.1.1 Message rejected by policy, recipient unknown',
  '550 5.1.1 Authentication required: unknown user',
  '550 5.1.1 <ada@a.example>: Recipient address rejected: unverified address: connect to mx.a.example: timed out',
  '550 5.1.1 <ada@a.example>: Recipient address rejected: Address verification in progress',
  '550 5.1.1 <ada@a.example>: Recipient address rejected: undeliverable address: mail for a.example loops back to myself',
  '550 5.1.1 Temporary lookup failure, user not found',
  '550 HELO does not exist, no such user',
  '550 The domain of the sender does not exist in DNS',
  '550 DNS entry for 192.0.2.1 does not exist',
  '550 Unknown user or blocked',
  '550 5.7.1 No such user, or your server is denied',
  '550 SMTP AUTH required: unknown user',
  '554 5.7.1 unknown user or relay denied',
  '550 Your mail server address is unknown to us',
  '550 Your account does not exist',
  '535 5.7.8 Error: authentication failed: no such user',
  '550 5.2.1 Mailbox disabled for senders with bad reputation',
  '550 Account disabled: your domain is blacklisted',
  '550 permanent failure for one or more recipients (ada@a.example:550 5.7.1 relay denied)',
  '521 5.2.1 :  (CON:B1)  http://postmaster.info.aol.com/errors/521conb1.html',
  '550 5.2.1 Not sending to previously bounced email',
  '550 5.2.1 Mail from your network is not wanted here',
  '550 5.2.1 This mailbox takes no mail from mailing lists: disabled',
  '550 5.2.1 Message rejected due to its content, address disabled',
  '553 5.1.0 mx.checker.example does not exist',
  '553 5.1.1 mx.checker.example does not exist',
  '550 5.1.0 <mx.checker.example> does not exist',
  '550-Bad HELO: mail.checker.example does not exist\n550 Please see RFC 2821 section 4.1.1.1',
  '550 The recipient address names a domain that does not exist',
  '550 5.2.4 Mailing list expansion problem',
  '554 5.2.4 Mailing list expansion problem: <ada@a.example>',
  '550 5.1.1 RCP-P2 https://www.facebook.com/postmaster/response_codes?ip=192.0.2.1#RCP-P2',
  '550 5.1.1 message refused',
  '550 5.1.1 <ada@a.example>: message refused, no such user',
  '550 5.1.1 <ada@a.example> You are banned',
  '550 5.1.1 <ada@a.example> Rate limit exceeded',
  '550 5.1.1 <ada@a.example>: open relay: user unknown',
  '550 5.1.1 Greylisted, user verification pending',
  '550 5.1.1 Delivery to this address is restricted',
  '550 5.2.1 Mailbox disabled for external mail',
  '556 5.1.10 Recipient address has a null MX',
  '550 sorry, this mailbox is currently disabled, try again',
  '550 5.1.1 Too many messages, user unknown until the rate limit ends',
];

describe('a misleading reply', () => {
  test.each(misleading)('%s makes no address invalid', line => {
    for (const provider of [undefined, 'gmx', 'outlook_com', 'barracuda', 'microsoft_365', 'mimecast']) {
      expect(['missing', 'disabled']).not.toContain(classifyReply(replyOf(line), 'rcpt', provider));
    }
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
    expect(classifyReply(replyOf(`550 <${localPart}@full.example>: Rejected`), 'rcpt')).toBe('refused');
    expect(classifyReply(replyOf(`550 ${localPart}@[192.0.2.1] Rejected`), 'rcpt')).toBe('refused');
  });

  test('the echoed recipient does not hide that a mailbox is missing', () => {
    expect(classifyReply(replyOf('550 5.1.1 <blocked-user@policy.example>: User unknown'), 'rcpt')).toBe(
      'missing',
    );
  });
});

const providers = [undefined, ...new Set(realReplies.map(({ provider }) => provider))];
const someProvider = fc.constantFrom(...providers);
const someRealText = fc.constantFrom(
  ...realReplies.map(({ line }) => line.slice(4).replaceAll(/\n\d{3}[ -]/g, ' ')),
);
/** Words from replies, in any order, to simulate replies that are not in the table yet. */
const vocabulary = [...new Set(realReplies.flatMap(({ line }) => line.slice(4).split(/[\s:;,.]+/)))].filter(
  word => /^[A-Za-z'-]{2,}$/.test(word),
);
const someWords = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 }).map(words => words.join(' '));
const runs = { numRuns: 5_000 };

describe('for any reply of a host', () => {
  const stagesBefore = [
    'greeting',
    'ehlo',
    'helo',
    'starttls',
    'mail',
    'rset',
    'quit',
  ] as const satisfies Stage[];

  test('no reply before RCPT concerns the mailbox', () => {
    const code = fc.integer({ min: 400, max: 599 });
    fc.assert(
      fc.property(
        fc.constantFrom(...stagesBefore),
        code,
        fc.oneof(someRealText, someWords),
        someProvider,
        (stage, replyCode, text, provider) => {
          expect(['missing', 'disabled', 'full', 'rate_limited', 'refused']).not.toContain(
            classifyReply(readReply(replyCode, [text]), stage, provider),
          );
        },
      ),
      runs,
    );
  });

  test('a 4xx never means that the mailbox is missing or disabled', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 400, max: 499 }),
        fc.oneof(someRealText, someWords),
        someProvider,
        (code, text, provider) => {
          const passing = text.replace(/^#?5\./, '4.');
          expect(['missing', 'disabled']).not.toContain(
            classifyReply(readReply(code, [passing]), 'rcpt', provider),
          );
        },
      ),
      runs,
    );
  });

  test('5.7.x needs words to say that a mailbox is missing', () => {
    const silent = [
      'rejected',
      'refused',
      'recipient',
      'address',
      'mailbox',
      'user',
      'access',
      'denied',
      'service',
    ];
    const text = fc.array(fc.constantFrom(...silent), { maxLength: 8 }).map(words => words.join(' '));
    fc.assert(
      fc.property(fc.nat(999), text, someProvider, (detail, said, provider) => {
        const meaning = classifyReply(readReply(550, [`5.7.${detail} ${said}`]), 'rcpt', provider);
        expect(['missing', 'disabled']).not.toContain(meaning);
      }),
      runs,
    );
  });

  test.each(['blocked', 'blacklist', 'spamhaus', 'reputation', 'authentication', 'policy'])(
    'a reply that speaks of %s never makes an address invalid',
    word => {
      const code = fc.constantFrom('', '5.1.1 ', '5.1.0 ', '5.1.10 ', '5.2.1 ', '5.7.1 ', '5.5.0 ');
      const words = fc.oneof(
        someWords,
        fc.constantFrom('User unknown', 'No such user here', 'mailbox not found'),
      );
      fc.assert(
        fc.property(code, words, words, someProvider, (enhanced, before, after, provider) => {
          const text = `${enhanced}${before} ${word} ${after}`;
          const meaning = classifyReply(readReply(550, [text]), 'rcpt', provider);
          expect(['missing', 'disabled']).not.toContain(meaning);
        }),
        runs,
      );
    },
  );

  test.each(['x', '"', 'a@', 'your ip ', 'user ', 'sender ', 'http://', '.outlook.com '])(
    '64 KiB of %j are read',
    word => {
      const text = word.repeat(65_536 / word.length);
      expect(classifyReply(readReply(550, [text]), 'rcpt', 'gmx')).not.toBe('missing');
    },
  );

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
