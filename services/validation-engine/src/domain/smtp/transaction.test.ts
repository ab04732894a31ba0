import { describe, expect, test } from '@jest/globals';
import type { SmtpOutcome } from './connection.ts';
import { readReply } from './reply.ts';
import { linesOf, type Recipient, readTransaction, unreadable } from './transaction.ts';
import type { Exchange } from './transcript.ts';

function recipients(...localParts: readonly string[]): Recipient[] {
  return localParts.map(localPart => ({
    localPart,
    domain: 'a.example',
    international: false,
    provider: undefined,
  }));
}

function outcomeOf(text: string): SmtpOutcome {
  return /^\d/.test(text)
    ? { kind: 'reply', reply: readReply(Number(text.slice(0, 3)), [text.slice(4)]) }
    : { kind: 'failure', failure: text as 'closed' };
}

/** The outcomes of the lines, in order; fewer replies than lines mean that the session ended. */
function exchangesOf(asked: readonly Recipient[], ...replies: readonly string[]): Exchange[] {
  return linesOf(asked, '')
    .slice(0, replies.length)
    .map((line, index) => ({ ...line, outcome: outcomeOf(replies[index] ?? '') }));
}

function read(asked: readonly Recipient[], ...replies: readonly string[]) {
  return readTransaction(asked, exchangesOf(asked, ...replies));
}

const both = recipients('ada', 'bob');
const one = recipients('ada');

describe('a transaction', () => {
  test('asks for SMTPUTF8 where a recipient needs it, and ends without a message', () => {
    const international = recipients('jörg').map(recipient => ({ ...recipient, international: true }));
    expect(linesOf(international, 'probe@checker.example').map(({ command }) => command)).toEqual([
      'MAIL FROM:<probe@checker.example> SMTPUTF8',
      'RCPT TO:<jörg@a.example>',
      'RSET',
    ]);
  });

  test('answers for each recipient, and shows each nothing of the others', () => {
    const heard = read(both, '250 Ok', '250 Ok', '550 5.1.1 User unknown', '250 Reset');
    expect(heard).toMatchObject([
      { kind: 'answered', finding: 'accepted', first: true },
      { kind: 'answered', finding: 'missing', first: false },
    ]);
    expect(JSON.stringify(heard[1])).not.toContain('ada');
    expect(JSON.stringify(heard[0])).not.toContain('bob');
  });

  test('that is refused at MAIL says nothing of its recipients', () => {
    expect(
      read(both, '550 5.7.1 Blocked using zen.spamhaus.org', '503 Need MAIL', '503 Need MAIL', '250 Ok'),
    ).toMatchObject([
      { kind: 'ended', stage: 'mail', finding: 'blocked' },
      { kind: 'ended', stage: 'mail', finding: 'blocked' },
    ]);
  });

  test('leaves those unreached that come after the end', () => {
    expect(read(both, '250 Ok', 'closed')).toMatchObject([
      { kind: 'answered', finding: 'closed' },
      { kind: 'unreached' },
    ]);
    expect(read(both)).toEqual([{ kind: 'unreached' }, { kind: 'unreached' }]);
  });

  test('is not believed where the host said more than it was asked', () => {
    expect(unreadable(one, 'garbled')).toMatchObject([
      { kind: 'ended', stage: 'rset', finding: 'unexpected' },
    ]);
  });

  test('of which answers were lost says nothing of its recipients', () => {
    expect(unreadable(both, 'timeout')).toMatchObject([
      { kind: 'ended', stage: 'rset', finding: 'timeout' },
      { kind: 'ended', stage: 'rset', finding: 'timeout' },
    ]);
  });
});
