import { afterEach, describe, expect, test } from '@jest/globals';
import { addressesOf, resultsAtOnce, resultsByThree, resultsOf } from './probed-lists.ts';
import { closeAll, type Manner, orderly, serve, type Visit } from './unruly-host.ts';

afterEach(closeAll);

const accepted = '250 2.1.5 Ok';
const unknown = '550 5.1.1 User unknown';

/** A host's reply to a recipient, whose local part begins with `here` if it exists. */
type ReplyTo = (exists: boolean, visit: Visit, localPart: string) => string | undefined;

const replying =
  (replyTo: ReplyTo, otherwise: Manner = orderly): Manner =>
  (line, visit) => {
    const localPart = /^RCPT TO:<(.*)@/.exec(line)?.[1];
    return localPart === undefined
      ? otherwise(line, visit)
      : replyTo(localPart.startsWith('here'), visit, localPart);
  };

const truthful: ReplyTo = exists => (exists ? accepted : unknown);

/** Replies with a text to commands that begin with a word. */
const saying =
  (word: string, text: string): Manner =>
  line =>
    line.split(' ', 1)[0] === word || line === word ? text : orderly(line);

/** Counts all recipients of a host, over its sessions. */
function counting(replyTo: (count: number, exists: boolean) => string): ReplyTo {
  let count = 0;
  return exists => {
    count += 1;
    return replyTo(count, exists);
  };
}

/** Numbers the sessions of a host from 0. */
function bySession(replyTo: (session: number, exists: boolean) => string): ReplyTo {
  const sessions = new Map<Visit, number>();
  return (exists, visit) => {
    const session = sessions.get(visit) ?? sessions.size;
    sessions.set(visit, session);
    return replyTo(session, exists);
  };
}

/** What the host does, the results for recipients that exist and for the others, and the host. */
type Habit = readonly [string, here: string, nobody: string, () => Manner];

const habits: readonly Habit[] = [
  // The opening of a session.
  ['refuses all service in its banner', 'unknown', 'unknown', () => saying('', '554 5.7.1 No service here')],
  [
    'lists strange extensions',
    'ok',
    'invalid',
    () =>
      replying(
        truthful,
        saying('EHLO', '250-mx\r\n250-\r\n250-X-UNKNOWN=42 foo\r\n250-SIZE\r\n250 8BITMIME'),
      ),
  ],
  ['refuses the null sender', 'unknown', 'unknown', () => saying('MAIL', '550 5.7.1 Null sender refused')],
  // The end of a transaction.
  ['does not implement RSET', 'ok', 'invalid', () => replying(truthful, saying('RSET', '502 5.5.1 What?'))],
  [
    'hangs up after two recipients',
    'ok',
    'invalid',
    () =>
      replying((exists, visit, name) =>
        visit.recipients > 2 ? void visit.socket.destroy() : truthful(exists, visit, name),
      ),
  ],
  [
    'hangs up after each refusal',
    'ok',
    'invalid',
    () => replying((exists, { socket }) => (exists ? accepted : void socket.end(`${unknown}\r\n`))),
  ],
  // The form of replies.
  [
    'replies in several lines',
    'ok',
    'invalid',
    () =>
      replying(exists =>
        exists ? '250-2.1.5 Recipient\r\n250 2.1.5 ok' : '550-5.1.1 The mailbox does\r\n550 5.1.1 not exist',
      ),
  ],
  [
    'ends its lines twice',
    'unknown',
    'unknown',
    () => replying(exists => `${truthful(exists, {} as Visit, '')}\n`),
  ],
  [
    'replies twice',
    'unknown',
    'unknown',
    () => replying(exists => (exists ? `${accepted}\r\n${accepted}` : `${unknown}\r\n${unknown}`)),
  ],
  [
    'will forward',
    'ok',
    'invalid',
    () => replying(exists => (exists ? '251 User not local; will forward' : unknown)),
  ],
  [
    'cannot verify, but will accept',
    'catch_all',
    'catch_all',
    () => replying(() => '252 2.1.5 Cannot VRFY user'),
  ],
  [
    'cannot verify those whom it does not know',
    'catch_all',
    'catch_all',
    () => replying(exists => (exists ? accepted : '252 2.1.5 Will attempt')),
  ],
  // Refusals without a reason, and transient ones.
  [
    'calls no mailbox missing',
    'ok',
    'unknown',
    () => replying(exists => (exists ? accepted : '554 Mail refused')),
  ],
  ['refuses all alike', 'unknown', 'unknown', () => replying(() => '550 5.7.1 Access denied')],
  [
    'looks unknown recipients up without end',
    'unknown',
    'unknown',
    () => replying(exists => (exists ? accepted : '451 4.3.0 Temporary lookup failure')),
  ],
  [
    'greylists those whom it does not know',
    'unknown',
    'unknown',
    () => replying(exists => (exists ? accepted : '451 4.7.1 Greylisted')),
  ],
  [
    'greylists those whom it knows',
    'unknown',
    'invalid',
    () => replying(exists => (exists ? '451 4.7.1 Greylisted' : unknown)),
  ],
  [
    'cannot verify those whom it knows',
    'unknown',
    'invalid',
    () =>
      replying(exists =>
        exists ? '451 Could not complete recipient verify callout' : '550 Unrouteable address',
      ),
  ],
  [
    'takes three recipients in a session',
    'ok',
    'invalid',
    () =>
      replying((exists, visit, name) =>
        visit.recipients > 3 ? '452 4.5.3 Too many recipients' : truthful(exists, visit, name),
      ),
  ],
  // Accepting for a while, or on one machine.
  [
    'calls all unknown from the fourth of a session on',
    'catch_all',
    'catch_all',
    () => replying((_, { recipients }) => (recipients > 3 ? unknown : accepted)),
  ],
  [
    'calls a recipient unknown the second time',
    'catch_all',
    'catch_all',
    () => {
      const known = new Set<string>();
      return replying((_, _visit, name) => {
        const isKnown = known.has(name);
        known.add(name);
        return isKnown ? unknown : accepted;
      });
    },
  ],
  [
    'accepts all on its second machine',
    'ok',
    'invalid',
    () => replying(bySession((session, exists) => (session % 2 === 1 || exists ? accepted : unknown))),
  ],
  [
    'accepts all on its first machine',
    'catch_all',
    'catch_all',
    () => replying(bySession((session, exists) => (session % 2 === 0 || exists ? accepted : unknown))),
  ],
  [
    'refuses all on one of three machines, and otherwise accepts all',
    'catch_all',
    'catch_all',
    () => replying(bySession(session => (session % 3 === 1 ? unknown : accepted))),
  ],
];

const list = 'here1 nobody2 here3 nobody4 nobody5 here6 nobody7 nobody8';

describe('a host that', () => {
  test.each(habits)('%s gives: %s where a mailbox exists, else %s', async (_name, here, nobody, makeHost) => {
    await Promise.all(
      [resultsOf, resultsAtOnce, resultsByThree].flatMap(results =>
        [list, 'here1', 'nobody1'].map(async names => {
          const addresses = addressesOf(names);
          expect(await results(await serve(makeHost()), addresses)).toEqual(
            addresses.map(address => `${address} ${address.startsWith('here') ? here : nobody}`),
          );
        }),
      ),
    );
  });

  test.each([3, 4, 5, 6])(
    'refuses all without a reason from recipient %d on gives no false verdict',
    async count => {
      for (const knows of [true, false]) {
        const makeHost = () =>
          replying(
            counting((number, exists) =>
              number >= count ? '550 Rejected' : exists || !knows ? accepted : unknown,
            ),
          );
        const answers = await Promise.all(
          [resultsOf, resultsAtOnce, resultsByThree].map(async results =>
            results(await serve(makeHost()), addressesOf(list)),
          ),
        );
        const wrong = knows ? /^nobody.* (?:ok|catch_all)$|^here.* invalid$/ : / (?:ok|invalid)$/;
        expect(answers.flat().filter(answer => wrong.test(answer))).toEqual([]);
      }
    },
  );
});
