import { describe, expect, test } from '@jest/globals';
import type { SmtpOutcome } from './connection.ts';
import { type FlightCircumstances, judgeOrder, lastResetWords } from './flight-order.ts';
import { readReply } from './reply.ts';
import { linesOf, type Recipient } from './transaction.ts';
import type { Exchange } from './transcript.ts';

const both: readonly Recipient[] = ['ada', 'bob'].map(localPart => ({
  localPart,
  domain: 'a.example',
  international: false,
  provider: undefined,
}));
const together: FlightCircumstances = { sentTogether: true, resetWords: undefined };

function outcomeOf(text: string): SmtpOutcome {
  return /^\d/.test(text)
    ? { kind: 'reply', reply: readReply(Number(text.slice(0, 3)), [text.slice(4)]) }
    : { kind: 'failure', failure: text as 'closed' };
}

/** A flight about both, with what came of it after MAIL; fewer replies than lines mean that the session was over. */
function flight(...replies: readonly string[]): Exchange[] {
  const all = ['250 2.1.0 Ok', ...replies];
  return linesOf(both, '')
    .slice(0, all.length)
    .map((line, index) => ({ ...line, outcome: outcomeOf(all[index] ?? '') }));
}

describe('answers to a flight', () => {
  test.each([
    ['a refusal of RSET belongs to an earlier command', ['250 Ok', '250 Ok', '550 No'], 'out_of_order'],
    ['so does an unreadable reply', ['550 No', '550 No', 'garbled'], 'out_of_order'],
    ['a host may not know RSET', ['250 Ok', '250 Ok', '502 What?'], 'in_order'],
    ['or hang up', ['250 Ok', '550 No', '421 Enough'], 'in_order'],
    ['or be gone', ['250 Ok', '550 No', 'closed'], 'in_order'],
    [
      'silence after different answers may follow one too few',
      ['250 Ok', '550 No', 'timeout'],
      'out_of_order',
    ],
    ['and after an acceptance', ['550 No', '250 Ok', 'timeout'], 'out_of_order'],
    ['not after answers that are all alike', ['550 No', '550 No', 'timeout'], 'in_order'],
    ['one too many may be to come', ['250 Ok', '550 No', '250 Reset'], 'unclear'],
    ['which is no matter where all are alike', ['250 Ok', '250 Ok', '250 Ok'], 'in_order'],
    [
      'so are those that name their own recipients only',
      ['550 No user (ada) here', '550 No user (bob) here', '250 Reset'],
      'in_order',
    ],
    ['not those that name each other', ['550 No user bob', '550 No user ada', '250 Reset'], 'unclear'],
    ['who names another speaks of that one', ['250 Ok', '550 <ADA@a.example> No', '250 Ok'], 'out_of_order'],
    ['wherever', ['550 No', '550 No', '250 bob@a.example Ok'], 'out_of_order'],
    [
      'unless it names the right one, too',
      ['550 ada@a.example is not bob@a.example', '550 No', '250 Ok'],
      'unclear',
    ],
    [
      'an acceptance by the name of one that was accepted may be of the same mailbox',
      ['250 <ada@a.example> Ok', '250 <ada@a.example> Ok', '250 Reset'],
      'unclear',
    ],
    [
      'not where the first was not accepted by its name',
      ['250 Ok', '250 <ada@a.example> Ok', '250 Reset'],
      'out_of_order',
    ],
    [
      'nor where the second is refused',
      ['250 <ada@a.example> Ok', '550 <ada@a.example> No', '250 Reset'],
      'out_of_order',
    ],
    [
      'nor where RSET gets the answer of the second',
      ['250 <ada@a.example> Ok', '250 <ada@a.example> Ok', '250 <bob@a.example> Ok'],
      'out_of_order',
    ],
    [
      'nor where nothing more is heard',
      ['250 <ada@a.example> Ok', '250 <ada@a.example> Ok', 'closed'],
      'out_of_order',
    ],
  ])('%s', (_name, replies, order) => {
    expect(judgeOrder(both, flight(...replies), together)).toBe(order);
  });

  test('are in order where RSET is known by its words', () => {
    const resetWords = lastResetWords(flight('250 2.1.5 Ok', '550 No', '250 2.0.0 Ok 17'));
    const known = { ...together, resetWords };
    expect(judgeOrder(both, flight('250 2.1.5 Ok', '550 No', '250 2.0.0 Ok 18'), known)).toBe('in_order');
    expect(judgeOrder(both, flight('250 2.0.0 Ok', '550 No', '250 2.0.0 Ok 18'), known)).toBe('unclear');
    expect(judgeOrder(both, flight('250 2.1.5 Ok', '550 No', '250 2.1.5 Ok'), known)).toBe('unclear');
  });

  test('may be of the same mailbox within one transaction only', () => {
    const one = both.slice(0, 1);
    const lines = [...linesOf(one, ''), ...linesOf(both.slice(1), '')];
    const replies = [
      '250 Ok',
      '250 <ada@a.example> Ok',
      '250 Reset',
      '250 Ok',
      '250 <ada@a.example> Ok',
      '250 Reset',
    ];
    const exchanges = lines.map((line, index) => ({ ...line, outcome: outcomeOf(replies[index] ?? '') }));
    expect(judgeOrder(both, exchanges, together)).toBe('out_of_order');
  });

  test('are out of order where a recipient is accepted and the sender is not', () => {
    const swapped = flight('250 Ok', '550 No', '250 Reset');
    const [mail, ...others] = swapped;
    const refused = { ...mail, outcome: outcomeOf('550 5.1.1 User unknown') } as Exchange;
    expect(judgeOrder(both, [refused, ...others], together)).toBe('out_of_order');
  });

  test('one at a time cannot move up', () => {
    const inTurn = { ...together, sentTogether: false };
    expect(judgeOrder(both, flight('250 Ok', '550 No', 'timeout'), inTurn)).toBe('in_order');
    // But what came unasked may be meant for the line before.
    expect(judgeOrder(both, flight('250 Wait', 'garbled'), inTurn)).toBe('out_of_order');
  });
});
