import { describe, expect, it } from '@jest/globals';
import { google, postfix } from '../catalog/servers.ts';
import { noSmtpCounts } from '../counts.ts';
import type { SmtpScript } from '../script.ts';
import { Conversation } from './conversation.ts';
import type { SmtpHost } from './replies.ts';

function hostWith(script: SmtpScript, changes: Partial<SmtpHost> = {}): SmtpHost {
  return {
    name: 'mx.here.example',
    script,
    domains: new Set(['here.example']),
    greylist: new Map(),
    refused: 0,
    asked: 0,
    counts: noSmtpCounts(),
    onUnscripted: () => undefined,
    now: () => 0,
    ...changes,
  };
}

function play(host: SmtpHost, ...lines: readonly string[]): string[] {
  const conversation = new Conversation(host, '127.0.0.1');
  conversation.greet();
  return ['EHLO probe.example', ...lines]
    .map(line => conversation.answer(line, false).say.trimEnd())
    .slice(1);
}

const mail = 'MAIL FROM:<probe@probe.example>';

describe('an SMTP conversation', () => {
  it('replies to an existing and to a missing mailbox with the texts of the script', () => {
    const replies = play(
      hostWith(postfix(['ada'])),
      mail,
      'RCPT TO:<Ada@here.example>',
      'RCPT TO:<x@here.example>',
    );
    expect(replies.slice(1)).toEqual([
      '250 2.1.5 Ok',
      '550 5.1.1 <x@here.example>: Recipient address rejected: User unknown in local recipient table',
    ]);
  });

  it('sends refusals of several lines as several lines', () => {
    const [, refusal] = play(hostWith(google([])), mail, 'RCPT TO:<x@here.example>');
    expect(refusal?.split('\r\n').map(line => line.slice(0, 10))).toEqual([
      '550-5.1.1 ',
      '550-5.1.1 ',
      '550-5.1.1 ',
      '550 5.1.1 ',
    ]);
  });

  it('does not take inherited object names for mailboxes', () => {
    const [, refusal] = play(hostWith(postfix([])), mail, 'RCPT TO:<constructor@here.example>');
    expect(refusal).toMatch(/^550 5\.1\.1/);
  });

  it.each([
    ['MAIL FROM:<a@b.example', /^501/],
    ['MAIL TO:<a@b.example>', /^501/],
    ['MAIL FROM:<a@b.example> FUTURE=1', /^555/],
    ['MAIL FROM:<> SIZE=100 BODY=8BITMIME', /^250/],
    ['RCPT TO:<ada@here.example>', /^503/],
    ['WHATEVER', /^502/],
    ['NOOP', /^250/],
    ['VRFY ada', /^252/],
    ['RSET', /^250/],
  ])('answers %s as RFC 5321 asks for', (line, expected) => {
    expect(play(hostWith(postfix(['ada'])), line)[0]).toMatch(expected);
  });

  it('counts DATA and BDAT as violations and refuses them', () => {
    const host = hostWith(postfix(['ada']));
    expect(play(host, 'DATA', 'BDAT 1 LAST')).toEqual([
      expect.stringMatching(/^554/),
      expect.stringMatching(/^554/),
    ]);
    expect(host.counts.violations).toEqual(['The client sent DATA.', 'The client sent BDAT.']);
  });

  it('defers a new tuple even if the clock advances during the check', () => {
    let nowMs = 0;
    const host = hostWith(postfix(['ada'], { greylistMs: 1 }), { now: () => (nowMs += 5) });
    expect(play(host, mail, 'RCPT TO:<ada@here.example>', 'RCPT TO:<ada@here.example>').slice(1)).toEqual([
      expect.stringMatching(/^451 4\.7\.1/),
      '250 2.1.5 Ok',
    ]);
  });

  it('defers a greylisted tuple until its time has come, and only that tuple', () => {
    let nowMs = 0;
    const host = hostWith(postfix(['ada', 'grace'], { greylistMs: 1_000 }), { now: () => nowMs });
    const ask = (recipient: string) => play(host, mail, `RCPT TO:<${recipient}@here.example>`)[1];
    expect(ask('ada')).toMatch(/^451 4\.7\.1/);
    nowMs = 999;
    expect(ask('ada')).toMatch(/^451 4\.7\.1/);
    nowMs = 1_000;
    expect(ask('ada')).toMatch(/^250/);
    expect(ask('grace')).toMatch(/^451/);
  });

  it('closes with 421 when a command follows too many refusals', () => {
    const host = hostWith(postfix([], { errorLimit: 2 }));
    const rcpt = 'RCPT TO:<x@here.example>';
    expect(play(host, mail, rcpt, rcpt, rcpt).map(reply => reply.slice(0, 3))).toEqual([
      '250',
      '550',
      '550',
      '421',
    ]);
  });

  it('answers only so many recipients per transaction', () => {
    const host = hostWith(postfix(['ada'], { recipientsPerTransactionMax: 1 }));
    const rcpt = 'RCPT TO:<ada@here.example>';
    const codes = play(host, mail, rcpt, rcpt, 'RSET', mail, rcpt).map(reply => reply.slice(0, 9));
    expect(codes).toEqual(['250 2.1.0', '250 2.1.5', '452 4.5.3', '250 2.0.0', '250 2.1.0', '250 2.1.5']);
  });

  it.each([
    ['of_session', ['250', '550', '550', '550']],
    ['of_transaction', ['250', '550', '250', '550']],
    ['transaction', ['250', '250', '550', '550']],
    ['domain', ['250', '550', '250', '550']],
  ] as const)('believes the first alone: %s', (believesFirst, codes) => {
    const host = hostWith(postfix(['ada'], { believesFirst }), {
      domains: new Set(['here.example', 'b.example']),
    });
    const [here, other] = ['RCPT TO:<ada@here.example>', 'RCPT TO:<ada@b.example>'];
    const said = play(host, mail, here, other, 'RSET', mail, here, other).map(reply => reply.slice(0, 3));
    expect([said[1], said[2], said[5], said[6]]).toEqual(codes);
  });

  it('wants SMTPUTF8 declared for an internationalized address', () => {
    const host = hostWith(postfix(['jörg']));
    const rcpt = 'RCPT TO:<jörg@here.example>';
    expect(play(host, mail, rcpt, 'RSET', `${mail} SMTPUTF8`, rcpt).map(reply => reply.slice(0, 3))).toEqual([
      '250',
      '553',
      '250',
      '250',
      '250',
    ]);
    expect(host.counts.violations).toEqual([]);
  });

  it('counts SMTPUTF8 as a violation if it was not offered', () => {
    const host = hostWith(postfix(['ada'], { capabilities: ['8BITMIME'] }));
    expect(play(host, `${mail} SMTPUTF8`)[0]).toMatch(/^555/);
    expect(host.counts.violations).toEqual(['The client used SMTPUTF8 in MAIL where it was not offered.']);
  });

  it('counts pipelined commands as a violation if PIPELINING was not offered', () => {
    const host = hostWith(postfix(['ada'], { capabilities: [] }));
    const conversation = new Conversation(host, '127.0.0.1');
    conversation.answer('EHLO probe.example', true);
    conversation.answer(mail, true);
    expect(host.counts.violations).toEqual([
      'The client sent more after EHLO without waiting for its reply.',
      'The client sent more after MAIL without waiting for its reply.',
    ]);
  });

  it('refuses a recipient elsewhere and reports it', () => {
    const reported: string[] = [];
    const host = hostWith(postfix(['ada']), { onUnscripted: what => reported.push(what) });
    expect(play(host, mail, 'RCPT TO:<ada@elsewhere.example>')[1]).toMatch(
      /^554 5\.7\.1 .*Relay access denied/,
    );
    expect(reported).toEqual(['RCPT for a foreign domain at mx.here.example: ada@elsewhere.example']);
  });

  it('forgets everything after STARTTLS and offers it no more', () => {
    const conversation = new Conversation(hostWith(postfix(['ada'], { requireTls: true })), '127.0.0.1');
    conversation.answer('EHLO probe.example', false);
    expect(conversation.answer(mail, false).say).toMatch(/^530 5\.7\.0 Must issue a STARTTLS command first/);
    expect(conversation.answer('STARTTLS', false).next).toBe('start_tls');
    conversation.noteSecured();
    expect(conversation.answer(mail, false).say).toMatch(/^503/);
    expect(conversation.answer('EHLO probe.example', false).say).not.toContain('STARTTLS');
    expect(conversation.answer(mail, false).say).toMatch(/^250/);
  });
});
