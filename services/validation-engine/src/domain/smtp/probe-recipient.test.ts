import { describe, expect, test } from '@jest/globals';
import {
  amply,
  createScriptedConnection,
  createStillClock,
  emailOf,
  type ScriptedOutcome,
} from '../testing/fakes.ts';
import { holdConversation } from './conversation.ts';
import { type ProbePlan, probeRecipient } from './probe-recipient.ts';

type Script = readonly (readonly [expected: RegExp, outcome: ScriptedOutcome])[];

const greeting: Script = [
  [/^$/, '220 mx.a.example ESMTP'],
  [/^EHLO probe\.checker\.example$/, '250-mx.a.example|250-STARTTLS|250 SMTPUTF8'],
];
const started: Script = [...greeting, [/^MAIL FROM:<>$/, '250 2.1.0 Ok']];
const accepted: Script = [...started, [/^RCPT TO:<ada@a\.example>$/, '250 2.1.5 Ok']];
const quit: Script = [[/^QUIT$/, '221 Bye']];

async function probe(script: Script, plan: Partial<ProbePlan> = {}) {
  const connection = createScriptedConnection(script);
  const conversation = holdConversation(connection, createStillClock(), amply());
  const result = await probeRecipient(conversation, {
    email: emailOf('ada@a.example'),
    madeUp: [
      { shape: 'letters', localPart: 'letters' },
      { shape: 'name_and_digits', localPart: 'name.digits' },
    ],
    mailFrom: '',
    heloName: 'probe.checker.example',
    provider: undefined,
    serverName: 'mx.a.example',
    oneRecipientPerTransaction: false,
    ...plan,
  });
  await conversation.leave();
  expect(connection.unused()).toBe(0);
  return result;
}

describe('a recipient', () => {
  test('that is refused is not compared with made-up ones', async () => {
    const result = await probe([...started, [/^RCPT TO:<ada@/, '550 5.1.1 User unknown'], ...quit]);
    expect(result).toEqual({ kind: 'answered', recipient: 'missing', madeUp: [] });
  });

  test('that meets a greylist introduces the made-up ones to it too', async () => {
    const greylisted = '450 4.2.0 <x>: Recipient address rejected: Greylisted';
    const result = await probe([
      ...started,
      [/^RCPT TO:<ada@/, greylisted],
      [/^RCPT TO:<letters@/, greylisted],
      [/^RCPT TO:<name\.digits@/, greylisted],
      ...quit,
    ]);
    expect(result).toMatchObject({ recipient: 'greylisted', madeUp: [{}, {}] });
  });

  test('that is accepted is compared with made-up ones of both shapes', async () => {
    const result = await probe([
      ...accepted,
      [/^RCPT TO:<letters@a\.example>$/, '550 5.1.1 User unknown'],
      [/^RCPT TO:<name\.digits@a\.example>$/, '550 5.1.1 User unknown'],
      ...quit,
    ]);
    expect(result).toEqual({
      kind: 'answered',
      recipient: 'accepted',
      madeUp: [
        { shape: 'letters', finding: 'missing', alone: false },
        { shape: 'name_and_digits', finding: 'missing', alone: false },
      ],
    });
  });

  test('needs no second comparison once a made-up one is accepted', async () => {
    const result = await probe([...accepted, [/letters/, '250 2.1.5 Ok'], ...quit]);
    expect(result).toMatchObject({ madeUp: [{ finding: 'accepted' }] });
  });

  test('is asked once more inside TLS when the host demands it at RCPT', async () => {
    const result = await probe([
      ...started,
      [/^RCPT TO:<ada@/, '530 5.7.0 Must issue a STARTTLS command first'],
      [/^STARTTLS$/, '220 Go ahead'],
      [/^\(tls\)$/, '220 TLS'],
      [/^EHLO /, '250 mx.a.example'],
      [/^MAIL FROM:<>$/, '250 Ok'],
      [/^RCPT TO:<ada@/, '550 5.1.1 User unknown'],
      ...quit,
    ]);
    expect(result).toMatchObject({ recipient: 'missing' });
  });
});

describe('a made-up recipient', () => {
  test('gets a transaction of its own where the host takes one recipient at a time', async () => {
    const result = await probe([
      ...accepted,
      [/letters/, '452 4.5.3 Too many recipients'],
      [/^RSET$/, '250 Ok'],
      [/^MAIL FROM:<>$/, '250 Ok'],
      [/letters/, '550 5.1.1 User unknown'],
      [/^RSET$/, '250 Ok'],
      [/^MAIL FROM:<>$/, '250 Ok'],
      [/name\.digits/, '550 5.1.1 User unknown'],
      ...quit,
    ]);
    expect(result).toMatchObject({
      madeUp: [
        { finding: 'missing', alone: true },
        { finding: 'missing', alone: true },
      ],
    });
  });

  test('that is refused without a ground is asked again alone, since a limit may hide behind the refusal', async () => {
    const result = await probe([
      ...accepted,
      [/letters/, '550 Rejected'],
      [/^RSET$/, '250 Ok'],
      [/^MAIL FROM:<>$/, '250 Ok'],
      [/letters/, '250 Ok'],
      ...quit,
    ]);
    expect(result).toMatchObject({ madeUp: [{ finding: 'accepted', alone: true }] });
  });

  test.each([
    ['550 only one recipient accepted for NULL sender', 'Exim'],
    ['550 5.7.1 Bounces go to nobody else', 'a rule of the house'],
    ['450 4.3.2 Not now', 'a passing fault'],
  ])('is asked again alone after %s, in which %s may hide a limit', async answer => {
    const result = await probe([
      ...accepted,
      [/letters/, answer],
      [/^RSET$/, '250 Ok'],
      [/^MAIL FROM:<>$/, '250 Ok'],
      [/letters/, '250 Ok'],
      ...quit,
    ]);
    expect(result).toMatchObject({ madeUp: [{ finding: 'accepted', alone: true }] });
  });

  test('never shares a transaction at hosts that dislike it', async () => {
    await probe([...accepted, [/^RSET$/, '250 Ok'], [/^MAIL/, '250 Ok'], [/letters/, '250 Ok'], ...quit], {
      oneRecipientPerTransaction: true,
    });
  });

  test('is not followed by another once the host hangs up', async () => {
    const result = await probe([...accepted, [/letters/, '421 4.7.0 Too many errors']]);
    expect(result).toMatchObject({ recipient: 'accepted', madeUp: [{ finding: 'temporary' }] });
  });

  test('that meets silence ends the session without a word', async () => {
    const result = await probe([...accepted, [/letters/, { failure: 'timeout' }]]);
    expect(result).toMatchObject({ madeUp: [{ finding: 'timeout' }] });
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
        ...quit,
      ],
      { email },
    );
    expect(result).toMatchObject({ recipient: 'missing' });
  });

  test('says the configured sender', async () => {
    await probe([...greeting, [/^MAIL FROM:<probe@checker\.example>$/, '450 Later'], ...quit], {
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

  test('does not loop where TLS is demanded and not offered', async () => {
    const result = await probe([
      [/^$/, '220 mx'],
      [/^EHLO/, '250 mx'],
      [/^MAIL/, '530 Must issue a STARTTLS command first'],
      ...quit,
    ]);
    expect(result).toEqual({ kind: 'ended', stage: 'starttls', finding: 'policy' });
  });

  test('does not loop where TLS is demanded inside TLS', async () => {
    const result = await probe([
      ...greeting,
      [/^MAIL/, '530 Must issue a STARTTLS command first'],
      [/^STARTTLS/, '220 Go'],
      [/^\(tls\)/, '220 TLS'],
      [/^EHLO/, '250-mx|250 STARTTLS'],
      [/^MAIL/, '530 Must issue a STARTTLS command first'],
      ...quit,
    ]);
    expect(result).toMatchObject({ kind: 'ended', finding: 'tls_required' });
  });
});
