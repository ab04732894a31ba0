import type { Catalog, DomainScript, SmtpScript } from '../script.ts';
import { catchAllPostfix, postfix } from './servers.ts';
import { catchAll, exists, missing, unknown } from './verdicts.ts';

/** Two domains on one host whose reply is correct only for the first recipient, transaction or domain of a session. */
function ofFirstAlone(believesFirst: NonNullable<SmtpScript['believesFirst']>, story: string): Catalog {
  const name = `first-${believesFirst.replaceAll('_', '-')}`;
  const host = `mx.${name}.example`;
  const neighbor = `neighbor-of-${name}.example`;
  return [
    {
      domain: `${name}.example`,
      story,
      dns: { mx: [[10, host]] },
      hosts: { [host]: postfix(['ada', 'grace'], { believesFirst }) },
      expected: [
        exists(`ada@${name}.example`),
        missing(`nobody@${name}.example`),
        exists(`grace@${name}.example`),
      ],
    },
    {
      domain: neighbor,
      story: `Shares its host with ${name}.example, and the sessions there.`,
      dns: { mx: [[10, host]] },
      expected: [exists(`ada@${neighbor}`), missing(`nobody@${neighbor}`), exists(`grace@${neighbor}`)],
    },
  ];
}

/** Hosts that change their replies after a while, for a session or permanently. */
const lateRefusals: Catalog = [
  {
    domain: 'unknown-after-refusals.example',
    story: 'Calls every recipient unknown once a session has met four refusals.',
    dns: { mx: [[10, 'mx.unknown-after-refusals.example']] },
    hosts: {
      'mx.unknown-after-refusals.example': postfix(['ada', 'grace', 'alan', 'linus'], {
        unknownAfter: { refusals: 4 },
      }),
    },
    expected: [
      exists('ada@unknown-after-refusals.example'),
      missing('nobody1@unknown-after-refusals.example'),
      exists('grace@unknown-after-refusals.example'),
      missing('nobody2@unknown-after-refusals.example'),
      exists('alan@unknown-after-refusals.example'),
      exists('linus@unknown-after-refusals.example'),
    ],
  },
  {
    domain: 'unknown-after-recipients.example',
    story:
      'Accepts every recipient, and then calls every one unknown after the third recipient of a session.',
    dns: { mx: [[10, 'mx.unknown-after-recipients.example']] },
    hosts: { 'mx.unknown-after-recipients.example': catchAllPostfix({ unknownAfter: { recipients: 3 } }) },
    expected: ['ada', 'grace', 'alan', 'linus', 'barbara'].map(name =>
      catchAll(`${name}@unknown-after-recipients.example`),
    ),
  },
  {
    domain: 'session-limit.example',
    story: 'Answers two recipients of a session and says 452 4.5.3 to all others, in any transaction.',
    dns: { mx: [[10, 'mx.session-limit.example']] },
    hosts: { 'mx.session-limit.example': catchAllPostfix({ recipientsPerSessionMax: 2 }) },
    expected: ['ada', 'grace', 'alan', 'linus'].map(name => catchAll(`${name}@session-limit.example`)),
  },
  {
    domain: 'fails-open-at-first.example',
    story: 'Accepts the first recipient, like a gateway that fails open, and then knows its recipients.',
    dns: { mx: [[10, 'mx.fails-open-at-first.example']] },
    hosts: {
      'mx.fails-open-at-first.example': postfix(['ada'], {
        turnsAfter: { recipients: 1, from: 'everybody' },
      }),
    },
    expected: [
      unknown('nobody1@fails-open-at-first.example', 'probe_inconclusive'),
      exists('ada@fails-open-at-first.example'),
      missing('nobody2@fails-open-at-first.example'),
    ],
  },
  {
    domain: 'loses-its-directory.example',
    story: 'Accepts its first recipient, and calls every later one unknown, in any session.',
    dns: { mx: [[10, 'mx.loses-its-directory.example']] },
    hosts: {
      'mx.loses-its-directory.example': catchAllPostfix({ turnsAfter: { recipients: 1, from: 'script' } }),
    },
    expected: [unknown('ada@loses-its-directory.example', 'probe_inconclusive')],
  },
];

/**
 * Hosts that are hard to talk to. Some give a reply if the client is patient and follows the rules; others never do.
 */
export const sessionTrouble: Catalog = [
  {
    domain: 'nobody-listening.example',
    story: 'Its only exchange refuses connections.',
    dns: { mx: [[10, 'mx.nobody-listening.example']] },
    hosts: { 'mx.nobody-listening.example': 'no_listener' },
    expected: [unknown('ada@nobody-listening.example', 'connection_failed')],
  },
  {
    domain: 'silent.example',
    story: 'Accepts the connection and then never says a word.',
    dns: { mx: [[10, 'mx.silent.example']] },
    hosts: { 'mx.silent.example': postfix(['ada'], { silentAfter: 'connect' }) },
    expected: [unknown('ada@silent.example', 'session_timeout')],
  },
  {
    domain: 'silent-recipients.example',
    story: 'Talks normally until it is asked about a recipient and then falls silent.',
    dns: { mx: [[10, 'mx.silent-recipients.example']] },
    hosts: { 'mx.silent-recipients.example': postfix(['ada'], { silentAfter: 'rcpt' }) },
    expected: [unknown('ada@silent-recipients.example', 'session_timeout')],
  },
  {
    domain: 'drops-at-connect.example',
    story: 'Closes the connection before its banner.',
    dns: { mx: [[10, 'mx.drops-at-connect.example']] },
    hosts: { 'mx.drops-at-connect.example': postfix(['ada'], { dropAfter: 'connect' }) },
    expected: [unknown('ada@drops-at-connect.example', 'connection_failed')],
  },
  {
    domain: 'drops-after-mail.example',
    story: 'Closes the connection when MAIL arrives.',
    dns: { mx: [[10, 'mx.drops-after-mail.example']] },
    hosts: { 'mx.drops-after-mail.example': postfix(['ada'], { dropAfter: 'mail' }) },
    expected: [unknown('ada@drops-after-mail.example', 'connection_failed')],
  },
  {
    domain: 'slow-banner.example',
    story: 'Takes three seconds before its banner, which standards allow (RFC 5321 section 4.5.3.2.1).',
    dns: { mx: [[10, 'mx.slow-banner.example']] },
    hosts: { 'mx.slow-banner.example': postfix(['ada'], { bannerDelayMs: 3_000 }) },
    expected: [exists('ada@slow-banner.example')],
  },
  {
    domain: 'long-banner.example',
    story: 'Greets with forty lines of legal notice.',
    dns: { mx: [[10, 'mx.long-banner.example']] },
    hosts: {
      'mx.long-banner.example': postfix(['ada'], {
        banner: [
          ...Array.from({ length: 39 }, (_, index) => `220-Notice ${index + 1}: use is monitored.`),
          '220 {host} ESMTP',
        ],
      }),
    },
    expected: [exists('ada@long-banner.example'), missing('nobody@long-banner.example')],
  },
  {
    domain: 'endless-banner.example',
    story: 'Its banner never ends.',
    dns: { mx: [[10, 'mx.endless-banner.example']] },
    hosts: { 'mx.endless-banner.example': postfix(['ada'], { endlessBanner: true }) },
    expected: [unknown('ada@endless-banner.example', 'protocol_error')],
  },
  {
    domain: 'garbage-banner.example',
    story: 'Greets with octets that are no SMTP.',
    dns: { mx: [[10, 'mx.garbage-banner.example']] },
    hosts: { 'mx.garbage-banner.example': postfix(['ada'], { garbage: true }) },
    expected: [unknown('ada@garbage-banner.example', 'protocol_error')],
  },
  {
    domain: 'tarpit.example',
    story: 'Waits half a second before every reply, to make guessing expensive.',
    dns: { mx: [[10, 'mx.tarpit.example']] },
    hosts: { 'mx.tarpit.example': postfix(['ada'], { replyDelayMs: 500 }) },
    expected: [exists('ada@tarpit.example'), missing('nobody@tarpit.example')],
  },
  {
    domain: 'tls-required.example',
    story: 'Takes MAIL only after STARTTLS and has a self-signed certificate, as many mail hosts do.',
    dns: { mx: [[10, 'mx.tls-required.example']] },
    hosts: { 'mx.tls-required.example': postfix(['ada'], { requireTls: true }) },
    expected: [exists('ada@tls-required.example'), missing('nobody@tls-required.example')],
  },
  {
    domain: 'helo-only.example',
    story: 'Predates EHLO and wants HELO (RFC 5321 section 3.2).',
    dns: { mx: [[10, 'mx.helo-only.example']] },
    hosts: {
      'mx.helo-only.example': postfix(['ada'], { capabilities: [], ehlo: '502 Command not implemented' }),
    },
    expected: [exists('ada@helo-only.example'), missing('nobody@helo-only.example')],
  },
  {
    domain: 'no-pipelining.example',
    story: 'Does not offer PIPELINING, so commands must be sent one by one.',
    dns: { mx: [[10, 'mx.no-pipelining.example']] },
    hosts: { 'mx.no-pipelining.example': postfix(['ada'], { capabilities: ['SIZE 10240000', '8BITMIME'] }) },
    expected: [exists('ada@no-pipelining.example'), missing('nobody@no-pipelining.example')],
  },
  ...(
    [
      ['first', 'answers the first command only', 'first_only'],
      ['recipients', 'loses those about recipients', 'all_but_rcpt'],
      ['silence', 'answers none and keeps the connection', 'silent'],
      ['drops', 'closes the connection', 'drops'],
      ['refused', 'says 421 and closes the connection', 'refuses'],
      ['reversed', 'answers the last one first', 'reversed'],
    ] as const
  ).map(([name, what, brokenPipelining]): DomainScript => {
    const domain = `pipelining-${name}.example`;
    return {
      domain,
      story: `Announces PIPELINING (RFC 2920); where commands arrive together it ${what}.`,
      dns: { mx: [[10, `mx.${domain}`]] },
      hosts: { [`mx.${domain}`]: postfix(['ada'], { brokenPipelining }) },
      expected: [exists(`ada@${domain}`), missing(`nobody@${domain}`)],
    };
  }),
  {
    domain: 'one-recipient.example',
    story: 'Answers one RCPT per transaction and 452 4.5.3 to the rest.',
    dns: { mx: [[10, 'mx.one-recipient.example']] },
    hosts: { 'mx.one-recipient.example': postfix(['ada'], { recipientsPerTransactionMax: 1 }) },
    expected: [exists('ada@one-recipient.example'), missing('nobody@one-recipient.example')],
  },
  {
    domain: 'error-limit.example',
    story: 'Hangs up with 421 once a session has collected three refusals.',
    dns: { mx: [[10, 'mx.error-limit.example']] },
    hosts: { 'mx.error-limit.example': postfix(['ada', 'grace', 'alan'], { errorLimit: 3 }) },
    expected: [
      exists('ada@error-limit.example'),
      missing('nobody1@error-limit.example'),
      missing('nobody2@error-limit.example'),
      missing('nobody3@error-limit.example'),
      exists('grace@error-limit.example'),
    ],
  },
  ...ofFirstAlone('of_session', 'Answers 550 5.1.1 to every recipient of a session but the first.'),
  ...ofFirstAlone('of_transaction', 'Answers 550 5.1.1 to every recipient of a transaction but the first.'),
  ...ofFirstAlone('transaction', 'Answers 550 5.1.1 to every recipient after the first RSET.'),
  ...ofFirstAlone('domain', 'Answers 550 5.1.1 to recipients of any domain but the first of the session.'),
  ...lateRefusals,
  {
    domain: 'one-session.example',
    story: 'Serves one session at a time and greets every further one with 421.',
    dns: { mx: [[10, 'mx.one-session.example']] },
    hosts: { 'mx.one-session.example': postfix(['ada'], { concurrentSessionsMax: 1 }) },
    expected: [exists('ada@one-session.example'), missing('nobody@one-session.example')],
  },
  {
    domain: 'early-talkers.example',
    story: 'Lets clients wait for the banner and refuses the recipients of those that talk first.',
    dns: { mx: [[10, 'mx.early-talkers.example']] },
    hosts: {
      'mx.early-talkers.example': postfix(['ada'], { earlyTalkerPunished: true, bannerDelayMs: 300 }),
    },
    expected: [exists('ada@early-talkers.example'), missing('nobody@early-talkers.example')],
  },
];
