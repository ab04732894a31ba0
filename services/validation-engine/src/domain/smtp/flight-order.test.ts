import { describe, expect, test } from '@jest/globals';
import type { SmtpOutcome } from './connection.ts';
import {
  type Flight,
  type FlightCircumstances,
  judgeOrder,
  learnFrame,
  readFlight,
  readFrame,
} from './flight-order.ts';
import { readReply } from './reply.ts';
import { linesOf, type Recipient } from './transaction.ts';
import type { Exchange } from './transcript.ts';

const both: readonly Recipient[] = ['ada', 'bob'].map(localPart => ({
  localPart,
  domain: 'a.example',
  international: false,
  provider: undefined,
}));
const together: FlightCircumstances = { sentTogether: true, isFirst: true, frame: undefined };

function outcomeOf(text: string): SmtpOutcome {
  return /^\d/.test(text)
    ? { kind: 'reply', reply: readReply(Number(text.slice(0, 3)), [text.slice(4)]) }
    : { kind: 'failure', failure: text as 'closed' };
}

/** A flight about both, with the replies after MAIL; fewer replies than lines mean that the session ended. */
function flight(...replies: readonly string[]): Flight {
  const all = ['250 2.1.0 Ok', ...replies];
  return readFlight(
    linesOf(both, '')
      .slice(0, all.length)
      .map((line, index) => ({ ...line, outcome: outcomeOf(all[index] ?? '') })),
  );
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
      'unless they are refusals: one that came twice hides an acceptance',
      ['550 No', '550 No', '250 Ok'],
      'unclear',
    ],
    [
      'it is no matter where they name their own recipients only',
      ['550 No user (ada) here', '550 No user (bob) here', '250 Reset'],
      'in_order',
    ],
    ['but is where they name each other', ['550 No user bob', '550 No user ada', '250 Reset'], 'unclear'],
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

  test('are in order where MAIL and RSET are known by their words', () => {
    const frame = readFrame(flight('250 2.1.5 Ok', '250 2.1.5 Ok', '250 2.0.0 Done 17'), false);
    const known = { ...together, frame };
    expect(frame).toEqual({ mail: '250 2.1.0 ok', reset: '250 2.0.0 done', isCertain: false });
    expect(judgeOrder(both, flight('250 2.1.5 Ok', '550 No', '250 2.0.0 Done 18'), known)).toBe('in_order');
    expect(judgeOrder(both, flight('250 2.0.0 Done', '550 No', '250 2.0.0 Done'), known)).toBe('unclear');
    expect(judgeOrder(both, flight('250 2.1.5 Ok', '550 No', '250 2.1.5 Ok'), known)).toBe('unclear');
  });

  test('are unclear where an earlier answer too many moves each of them down', () => {
    // If EHLO was answered twice: first the answers to EHLO, MAIL and RCPT, then the leftover ones to MAIL and RCPT.
    const [mail, ...others] = flight('250 2.1.0 Sender', '250 2.1.5 Ok', '250 2.1.5 Ok').exchanges;
    const ehlo = { ...mail, outcome: outcomeOf('250 mx.a.example') } as Exchange;
    expect(readFrame(readFlight([ehlo, ...others]), false)).toBeUndefined();
    const frame = { mail: '250 mx.a.example', reset: '250 2.1.5 ok', isCertain: true };
    const left = flight('250 2.1.0 Sender', '550 No', '250 2.1.5 Ok');
    expect(judgeOrder(both, left, { ...together, frame })).toBe('unclear');
  });

  test.each([
    ['MAIL and RSET alike', ['250 2.1.5 Ok', '550 No', '250 2.1.0 Ok']],
    ['RCPT as RSET', ['250 2.0.0 Done', '550 No', '250 2.0.0 Done']],
    ['no RSET', ['250 2.1.5 Ok', '550 No']],
  ])('have no frame where a host words %s', (_case, replies) => {
    expect(readFrame(flight(...replies), true)).toBeUndefined();
  });

  test('have a frame where a host words RCPT as MAIL, once no answer too many has come', () => {
    const alike = flight('250 2.1.0 Ok', '550 No', '250 2.0.0 Done');
    expect(readFrame(alike, false)).toBeUndefined();
    expect(judgeOrder(both, alike, { ...together, frame: readFrame(alike, true) })).toBe('in_order');
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
    expect(judgeOrder(both, readFlight(exchanges), together)).toBe('out_of_order');
  });

  test('are out of order where a recipient is accepted and the sender is not', () => {
    const [mail, ...others] = flight('250 Ok', '550 No', '250 Reset').exchanges;
    const refused = { ...mail, outcome: outcomeOf('550 5.1.1 User unknown') } as Exchange;
    expect(judgeOrder(both, readFlight([refused, ...others]), together)).toBe('out_of_order');
  });

  test('one at a time cannot move up', () => {
    const inTurn = { ...together, sentTogether: false };
    expect(judgeOrder(both, flight('250 Ok', '550 No', 'timeout'), inTurn)).toBe('in_order');
    // But an unsolicited answer may belong to the line before.
    expect(judgeOrder(both, flight('250 Wait', 'garbled'), inTurn)).toBe('out_of_order');
  });
});

describe('an answer too many', () => {
  /** How hosts word their answers to MAIL, to a recipient that exists, to one that does not, and to RSET. */
  const manners = [
    ['250 2.1.0 Sender ok', '250 2.1.5 Recipient ok', '550 5.1.1 User unknown', '250 2.0.0 Reset'],
    ['250 2.1.0 Ok', '250 2.1.5 Ok', '550 5.1.1 User unknown', '250 2.0.0 Ok'],
    ['250 OK', '250 OK', '550 User unknown', '250 OK'],
    ['250 OK', '250 Accepted', '550 Unrouteable address', '250 Reset OK'],
    ['250 ok', '250 ok', '550 sorry, no mailbox here by that name. (#5.1.1)', '250 flushed'],
    ['250 2.1.0 Ok', '250 2.1.5 Ok', '550 5.1.1 User unknown', '250 2.1.5 Ok'],
    ['250 2.0.0 Ok', '250 2.1.5 Ok', '550 5.1.1 User unknown', '250 2.0.0 Ok'],
  ] as const;
  /** Whether each recipient of a transaction exists. */
  const transactions = [1, 2, 3].flatMap(count =>
    Array.from({ length: 2 ** count }, (_, bits) =>
      Array.from({ length: count }, (_each, index) => (bits & (1 << index)) !== 0),
    ),
  );
  const flights = [
    ...transactions.map(one => [one]),
    ...[true, false].flatMap(one => [true, false].map(other => [[one], [other]])),
  ];
  type Flight = (typeof flights)[number];

  const namesOf = (flight: Flight): Recipient[] =>
    flight.flat().map((_, index) => ({ ...both[0], localPart: `r${index}` }) as Recipient);

  /** The answers of an orderly host to a flight. */
  function truthOf(flight: Flight, [mail, yes, no, reset]: (typeof manners)[number]): string[] {
    return flight.flatMap(exist => [mail, ...exist.map(one => (one ? yes : no)), reset]);
  }

  /** The exchanges of a flight that takes the answers in order of arrival. */
  function hear(flight: Flight, answers: readonly string[]): Exchange[] {
    const names = namesOf(flight);
    const lines = flight.flatMap(exist => linesOf(names.splice(0, exist.length), ''));
    return lines.map((line, index) => ({ ...line, outcome: outcomeOf(answers[index] ?? 'timeout') }));
  }

  const isTrue = (exchanges: readonly Exchange[], truth: readonly string[]) =>
    exchanges.every(
      ({ stage, outcome }, index) =>
        stage !== 'rcpt' ||
        (outcome.kind === 'reply' && truth[index]?.startsWith(String(outcome.reply.code))),
    );

  test.each(manners.map(([...manner]) => [manner.join(', '), manner] as const))(
    'is never taken for another one without a moment of doubt where a host says %s',
    (_words, manner) => {
      const believed: string[] = [];
      for (const first of flights) {
        for (const second of flights) {
          const truths = [first, second].map(flight => truthOf(flight, manner));
          const stream = truths.flat();
          for (let index = 0; index < stream.length; index += 1) {
            // Before the first flight, it is an answer to EHLO.
            for (const extra of new Set([stream[index - 1] ?? '250 Hello', '250 Well'])) {
              const said = stream.toSpliced(index, 0, extra);
              let frame = undefined as ReturnType<typeof readFrame>;
              for (const [number, flight] of [first, second].entries()) {
                const truth = truths[number] ?? [];
                const exchanges = hear(flight, said.splice(0, truth.length));
                const isFirst = number === 0;
                const heard = readFlight(exchanges);
                if (judgeOrder(namesOf(flight), heard, { ...together, isFirst, frame }) !== 'in_order') {
                  break;
                }
                if (!isTrue(exchanges, truth)) {
                  believed.push(`${truth.join('|')} after ${frame?.mail}: ${extra} at ${index}`);
                }
                frame = learnFrame(frame, heard, false);
              }
            }
          }
        }
      }
      expect(believed).toEqual([]);
    },
  );
});
