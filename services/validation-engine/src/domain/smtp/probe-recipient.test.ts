import { describe, expect, test } from '@jest/globals';
import {
  amply,
  createProbePorts,
  createScriptedConnection,
  createStillClock,
  emailOf,
  type ScriptedConnection,
  type ScriptedOutcome,
} from '../testing/fakes.ts';
import type { Identity } from './pool/session-pool.ts';
import { type ProbePlan, probeRecipient } from './probe-recipient.ts';

type Script = readonly (readonly [expected: RegExp, outcome: ScriptedOutcome])[];

const greeting: Script = [
  [/^$/, '220 mx.a.example ESMTP'],
  [/^EHLO probe\.checker\.example$/, '250-mx.a.example|250 SMTPUTF8'],
];
const mail: Script = [[/^MAIL FROM:<>$/, '250 2.1.0 Ok']];
const reset: Script = [[/^RSET$/, '250 2.0.0 Ok']];
const quit: Script = [[/^QUIT$/, '221 Bye']];
const ada = (reply: ScriptedOutcome): Script => [[/^RCPT TO:<ada@a\.example>$/, reply]];
const letters = (reply: ScriptedOutcome): Script => [[/^RCPT TO:<letters@a\.example>$/, reply]];
const name = (reply: ScriptedOutcome): Script => [[/^RCPT TO:<name\.digits@a\.example>$/, reply]];
const started = [...greeting, ...mail];
const accepted = [...started, ...ada('250 2.1.5 Ok'), ...reset, ...mail];

/** Probes a host that runs one session after the other, each with its own script. */
async function probe(
  script: Script,
  plan: Partial<ProbePlan> & Partial<Identity> = {},
  ...laterScripts: readonly Script[]
) {
  const connections: ScriptedConnection[] = [];
  const scripts = [script, ...laterScripts];
  const accepted = new Set<string>();
  const clock = createStillClock();
  const { heloName, mailFrom, ...planned } = plan;
  const identity = 'heloName' in plan ? { heloName } : mailFrom === undefined ? {} : { mailFrom };
  const connector = {
    async connect() {
      const connection = createScriptedConnection(scripts[connections.length] ?? [], { accepted });
      connections.push(connection);
      return { kind: 'connected', connection } as const;
    },
  };
  const ports = createProbePorts(connector, clock, identity);
  const probed = await probeRecipient(
    ports,
    {
      email: emailOf('ada@a.example'),
      madeUp: [
        { shape: 'alike', localPart: 'letters' },
        { shape: 'random', localPart: 'name.digits' },
      ],
      host: 'mx.a.example',
      address: '192.0.2.1',
      provider: undefined,
      oneRecipientPerTransaction: false,
      ...planned,
    },
    amply(),
  );
  await ports.close();
  expect(connections.map(connection => connection.unused())).toEqual(scripts.map(() => 0));
  expect(connections.every(connection => connection.isClosed())).toBe(true);
  return probed.kind === 'probed' ? probed.result : probed;
}

describe('a recipient', () => {
  test('that is refused is not compared with made-up ones', async () => {
    const result = await probe([...started, ...ada('550 5.1.1 User unknown'), ...reset, ...quit]);
    expect(result).toMatchObject({ kind: 'answered', recipient: 'missing', madeUp: [] });
  });

  test('that meets a greylist introduces the made-up ones to it too', async () => {
    const greylisted = '450 4.2.0 <x>: Recipient address rejected: Greylisted';
    const result = await probe([
      ...started,
      ...ada(greylisted),
      ...reset,
      ...mail,
      ...letters(greylisted),
      ...name(greylisted),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({ recipient: 'greylisted', madeUp: [{}, {}] });
  });

  test('that is accepted is compared with made-up ones of both shapes', async () => {
    const result = await probe([
      ...accepted,
      ...letters('550 5.1.1 User unknown'),
      ...name('550 5.1.1 User unknown'),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({
      kind: 'answered',
      recipient: 'accepted',
      reply: { code: 250, enhanced: '2.1.5' },
      madeUp: [
        { shape: 'alike', finding: 'missing', reply: { code: 550 } },
        { shape: 'random', finding: 'missing' },
      ],
      comparedMsAgo: 0,
    });
  });
});

describe('a made-up recipient', () => {
  test('gets its own transaction if the host accepts one recipient at a time', async () => {
    const result = await probe([
      ...accepted,
      ...letters('550 5.1.1 User unknown'),
      ...name('452 4.5.3 Too many recipients'),
      ...reset,
      ...mail,
      ...name('550 5.1.1 User unknown'),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({
      madeUp: [
        { finding: 'missing', first: true },
        { finding: 'missing', first: true },
      ],
    });
  });

  test.each([
    ['550 Rejected', 'no ground at all'],
    ['550 only one recipient accepted for NULL sender', 'Exim'],
    ['550 5.7.1 Bounces go to nobody else', 'a rule of the house'],
    ['450 4.3.2 Not now', 'a passing fault'],
  ])('is asked again alone after %s next to another, in which %s may hide a limit', async answer => {
    const result = await probe([
      ...accepted,
      ...letters('550 5.1.1 User unknown'),
      ...name(answer),
      ...reset,
      ...mail,
      ...name('250 Ok'),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({ madeUp: [{ finding: 'missing' }, { finding: 'accepted', first: true }] });
  });

  test('that got the same as the first of its transaction was not refused for its position', async () => {
    const result = await probe([
      ...accepted,
      ...letters('450 Not now'),
      ...name('450 Not now'),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({ madeUp: [{ finding: 'temporary' }, { finding: 'temporary' }] });
  });

  test('never shares a transaction at hosts that dislike it', async () => {
    const another = [...reset, ...mail];
    await probe([...accepted, ...letters('250 Ok'), ...another, ...name('250 Ok'), ...reset, ...quit], {
      oneRecipientPerTransaction: true,
    });
  });

  test('is asked about in a fresh session where the host hangs up on an old one', async () => {
    const unknown = '550 5.1.1 User unknown';
    const result = await probe([...accepted, ...letters('421 4.7.0 Too many errors')], {}, [
      ...started,
      ...letters(unknown),
      ...name(unknown),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({
      recipient: 'accepted',
      madeUp: [{ finding: 'missing' }, { finding: 'missing' }],
    });
  });

  test('that meets silence even there stays unanswered', async () => {
    const silent: Script = [...started, ...letters({ failure: 'timeout' })];
    const result = await probe(
      [...accepted, ...letters({ failure: 'timeout' })],
      {},
      silent,
      [...started, ...name({ failure: 'timeout' })],
      [...started, ...name({ failure: 'timeout' })],
      // The accepted one is asked about again after them.
      [...greeting, ...quit],
    );
    expect(result).toMatchObject({ madeUp: [{ finding: 'timeout' }, { finding: 'timeout' }] });
  });
});

describe('a session', () => {
  test('falls back to HELO where EHLO is not known', async () => {
    const result = await probe([
      [/^$/, '220 mx.a.example'],
      [/^EHLO /, '502 Command not implemented'],
      [/^HELO probe\.checker\.example$/, '250 mx.a.example'],
      [/^MAIL FROM:<>$/, '250 Ok'],
      [/^RCPT/, '550 No such user here'],
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({ recipient: 'missing' });
  });

  test('does not try HELO on a host that blocks us at EHLO', async () => {
    const result = await probe([
      [/^$/, '220 mx'],
      [/^EHLO /, '554 5.7.1 Client host blocked using zen.spamhaus.org'],
      ...quit,
    ]);
    expect(result).toEqual({ kind: 'ended', stage: 'ehlo', finding: 'blocked' });
  });

  test('says our address where we have no name', async () => {
    await probe(
      [
        [/^$/, '220 mx'],
        [/^EHLO \[192\.0\.2\.9\]$/, '421 Busy'],
      ],
      { heloName: undefined },
    );
  });

  test('asks about an international recipient only where SMTPUTF8 is offered', async () => {
    const email = emailOf('jörg@a.example');
    expect(await probe([[/^$/, '220 mx'], [/^EHLO/, '250 mx'], ...quit], { email })).toEqual({
      kind: 'smtputf8_unsupported',
    });
    const result = await probe(
      [
        ...greeting,
        [/^MAIL FROM:<> SMTPUTF8$/, '250 Ok'],
        [/^RCPT TO:<jörg@a\.example>$/, '550 5.1.1 User unknown'],
        ...reset,
        ...quit,
      ],
      { email },
    );
    expect(result).toMatchObject({ recipient: 'missing' });
  });

  test('says the configured sender', async () => {
    await probe([...greeting, [/^MAIL FROM:<probe@checker\.example>$/, '450 Later'], ...reset, ...quit], {
      mailFrom: 'probe@checker.example',
    });
  });

  test.each([
    ['a greeting that turns us away', '554 5.7.1 Blocked using zen.spamhaus.org', 'blocked'],
    ['a busy greeting', '421 Busy', 'temporary'],
    ['a greeting without a service', '554 No SMTP service here', 'no_service'],
    ['a greeting of a host that never takes mail', '521 mx.a.example does not accept mail', 'no_service'],
    ['a greeting that is none', '250 Ok', 'unexpected'],
  ])('ends at %s', async (_name, banner, finding) => {
    const result = await probe([[/^$/, banner], ...(banner.startsWith('421') ? [] : quit)]);
    expect(result).toEqual({ kind: 'ended', stage: 'greeting', finding });
  });

  test('starts TLS if it is offered, and introduces itself again', async () => {
    const result = await probe([
      [/^$/, '220 mx'],
      [/^EHLO/, '250-mx|250 STARTTLS'],
      [/^STARTTLS$/, '220 Go ahead'],
      [/^\(tls\)$/, '220 TLS'],
      [/^EHLO/, '250-mx|250 SMTPUTF8'],
      ...mail,
      ...ada('550 5.1.1 User unknown'),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({ recipient: 'missing' });
  });

  test('continues in clear text if TLS is offered and then refused', async () => {
    const result = await probe([
      [/^$/, '220 mx'],
      [/^EHLO/, '250-mx|250 STARTTLS'],
      [/^STARTTLS$/, '454 4.7.0 TLS not available due to local problem'],
      ...mail,
      ...ada('550 5.1.1 User unknown'),
      ...reset,
      ...quit,
    ]);
    expect(result).toMatchObject({ recipient: 'missing' });
  });

  test('begins again in the clear where the handshake fails', async () => {
    const offering: Script = [
      [/^$/, '220 mx'],
      [/^EHLO/, '250-mx|250 STARTTLS'],
    ];
    const result = await probe(
      [...offering, [/^STARTTLS$/, '220 Go ahead'], [/^\(tls\)$/, { failure: 'tls_failed' }]],
      {},
      [...offering, ...mail, ...ada('550 5.1.1 User unknown'), ...reset, ...quit],
    );
    expect(result).toMatchObject({ recipient: 'missing' });
  });

  test('says that TLS failed where it is demanded as well', async () => {
    const offering: Script = [
      [/^$/, '220 mx'],
      [/^EHLO/, '250-mx|250 STARTTLS'],
    ];
    const result = await probe(
      [...offering, [/^STARTTLS$/, '220 Go ahead'], [/^\(tls\)$/, { failure: 'tls_failed' }]],
      {},
      [...offering, [/^MAIL/, '530 Must issue a STARTTLS command first'], ...reset, ...quit],
    );
    expect(result).toMatchObject({ kind: 'ended', stage: 'mail', finding: 'tls_failed' });
  });

  test('ends where TLS is demanded and not offered', async () => {
    const result = await probe([
      [/^$/, '220 mx'],
      [/^EHLO/, '250 mx'],
      [/^MAIL/, '530 Must issue a STARTTLS command first'],
      ...reset,
      ...quit,
    ]);
    expect(result).toEqual({ kind: 'ended', stage: 'mail', finding: 'tls_required' });
  });
});
