import { afterEach, describe, expect, test } from '@jest/globals';
import { forEachRow } from '../src/domain/concurrency/for-each-row.ts';
import { keyedRandom, makeUpRecipients } from '../src/domain/smtp/made-up-recipients.ts';
import { isRecipient, proberAt, resultsAtOnce, resultsInAList, unknown } from './probed-lists.ts';
import { closeAll, type Manner, orderly, serve, type Visit } from './unruly-host.ts';

afterEach(closeAll);

const accepted = '250 2.1.5 Ok';
const first =
  'ann bob carl dora ed fred gina hans ida jo karl lena max nora olaf paul rosa sam tina uwe vera'.split(' ');
const last =
  'ames berg cook dahl engel frost gray holm ives jung kern lang moore north ott page rees stone'.split(' ');

/** A list in which every fourth address exists, if the host knows any. */
const addresses = Array.from({ length: 60 }, (_, index) => {
  const name = `${first[index % first.length]}.${last[index % last.length]}`;
  return `${index % 4 === 0 ? 'here.' : ''}${name}@a.example`;
});
const missing = addresses.filter(address => !address.startsWith('here'));

const key = new TextEncoder().encode('a key');
const madeUpOf = (address: string) =>
  makeUpRecipients(form => keyedRandom(key, form, 0), address.slice(0, address.lastIndexOf('@')));

/** Accepts recipients by their number, over all sessions or in each; otherwise as told. */
function accepting(
  isAccepted: (number: number) => boolean,
  isPerSession: boolean,
  otherwise: (line: string) => string,
): Manner {
  let count = 0;
  return (line: string, { recipients }: Visit) => {
    if (!isRecipient(line)) {
      return orderly(line);
    }
    count += 1;
    return isAccepted(isPerSession ? recipients : count) ? accepted : otherwise(line);
  };
}

const everyNth = (nth: number, offset: number) => (number: number) => (number + offset) % nth === 0;
const refusingAll = () => unknown;
const withoutReason = '550 Rejected';

/** Greets so late that each answer takes more than a second, although the host is quick. */
function greetingLate(manner: Manner, waitMs = 1_100): Manner {
  return (line, visit) => {
    if (line === '') {
      setTimeout(() => visit.socket.write(`${orderly(line)}\r\n`), waitMs);
      return undefined;
    }
    return manner(line, visit);
  };
}

async function answersOf(manner: Manner, list: readonly string[], inFlightMax: number): Promise<string[]> {
  return resultsInAList(await serve(manner), list, madeUpOf, inFlightMax);
}

const ends = (result: string) => (answer: string) => answer.endsWith(` ${result}`);

describe.each([10, 60])('in a list, %d at a time, a host that', inFlightMax => {
  test.each([2, 3, 4, 5, 6, 7, 8, 9])('accepts every %dth recipient makes none exist', async nth => {
    const okOf = async (offset: number, isPerSession: boolean) => {
      const manner = accepting(everyNth(nth, offset), isPerSession, refusingAll);
      return (await answersOf(manner, missing, inFlightMax)).filter(ends('ok'));
    };
    const [overAllSessions, inEachSession, ...others] = await Promise.all([
      okOf(0, false),
      okOf(0, true),
      ...Array.from({ length: nth - 1 }, (_, index) => okOf(index + 1, false)),
    ]);
    expect([overAllSessions, inEachSession]).toEqual([[], []]);
    // One of some 460 such lists had a single one (ADR 0092).
    expect(others.flat().length).toBeLessThanOrEqual(1);
  });

  test('knows its recipients and lets every tenth through makes no missing one exist', async () => {
    const answers = await answersOf(accepting(everyNth(10, 0), false, orderly), addresses, inFlightMax);
    expect(answers.filter(answer => !answer.startsWith('here')).filter(ends('ok'))).toEqual([]);
  });

  test('knows its recipients is believed about each of them', async () => {
    const answers = await answersOf(orderly, addresses, inFlightMax);
    expect(answers).toEqual(
      addresses.map(address => `${address} ${address.startsWith('here') ? 'ok' : 'invalid'}`),
    );
  });
});

test('a host that greets late and accepts every third recipient makes none exist', async () => {
  const results = await Promise.all(
    [0, 1, 2].map(offset =>
      answersOf(greetingLate(accepting(everyNth(3, offset), false, refusingAll)), missing.slice(0, 3), 1),
    ),
  );
  expect(results.flat().filter(ends('ok'))).toEqual([]);
});

/** Accepts every recipient, but no more than so many at a time; refuses the others without a reason. */
function limitingRate(countMax: number, withinMs: number): Manner {
  let acceptedAt: number[] = [];
  return line => {
    if (!isRecipient(line)) {
      return orderly(line);
    }
    const now = performance.now();
    acceptedAt = acceptedAt.filter(at => now - at < withinMs);
    if (acceptedAt.length >= countMax) {
      return withoutReason;
    }
    acceptedAt.push(now);
    return accepted;
  };
}

// If nothing made up is asked about between acceptances, up to 51 of 240 missing addresses are ok.
test.each([
  ['in a list, 10 at a time', 10],
  ['in a list, 60 at a time', 60],
  ['at once', undefined],
])('a catch-all that refuses what exceeds a rate makes no address exist, %s', async (_way, inFlightMax) => {
  const rates = [
    [3, 50],
    [5, 100],
    [10, 300],
    [10, 300],
  ] as const;
  const answers = await Promise.all(
    rates.map(async ([countMax, withinMs]) => {
      const host = await serve(limitingRate(countMax, withinMs));
      return inFlightMax === undefined
        ? resultsAtOnce(host, missing, madeUpOf)
        : resultsInAList(host, missing, madeUpOf, inFlightMax);
    }),
  );
  expect(answers.flat().filter(ends('catch_all')).length).toBeGreaterThan(0);
  expect(answers.flat().filter(ends('ok'))).toEqual([]);
});

// If a made-up recipient is asked about between two acceptances only, up to 14 of 80 missing addresses are ok.
test.each([2, 3, 4])(
  'a host that accepts every %dth recipient and gives no reason makes none exist',
  async nth => {
    const lists = await Promise.all(
      Array.from({ length: nth }, async (_, offset) => {
        const manner = () => accepting(everyNth(nth, offset), false, () => withoutReason);
        return [
          ...(await resultsInAList(await serve(manner()), missing, madeUpOf, 60)),
          ...(await resultsAtOnce(await serve(manner()), missing, madeUpOf)),
        ];
      }),
    );
    expect(lists.flat().filter(ends('ok'))).toEqual([]);
  },
);

/** Replies after a moment, so that several sessions open at once. */
function slowly(manner: Manner): Manner {
  return (line, visit) => {
    setTimeout(() => visit.socket.write(`${manner(line, visit)}\r\n`), 3);
    return undefined;
  };
}

/** Accepts every recipient in one of so many sessions, as an address does where one of its machines accepts them. */
function openOnOneOf(machines: number, exists: (line: string) => boolean): Manner {
  const sessions = new Map<Visit, number>();
  return slowly((line, visit) => {
    const session = sessions.get(visit) ?? sessions.size;
    sessions.set(visit, session);
    const isOpen = session % machines === machines - 1;
    return isRecipient(line) ? (isOpen || exists(line) ? accepted : unknown) : orderly(line);
  });
}

// If the cover and the repeated question may reach different machines, some 15 of 430 missing addresses are ok.
test.each([
  [3, 'at once', (manner: Manner) => manner],
  [4, 'at once', (manner: Manner) => manner],
  [3, 'late', (manner: Manner) => greetingLate(manner, 2_000)],
])(
  'one of %d machines that accepts all makes no missing one exist in a burst, if they greet %s',
  async (machines, _when, greeting) => {
    const answers: string[] = [];
    // Two at a time: only a host that replies within 100 ms is asked again.
    await forEachRow(Array(16).keys(), 2, new AbortController().signal, async burst => {
      const list = Array.from({ length: 45 }, (_each, index) => {
        const number = index + burst * 13;
        return `${first[number % first.length]}.${last[(number * 5) % last.length]}@a.example`;
      });
      const existing = new Set(list.filter((_each, index) => (index * 7 + burst) % 5 < 2));
      const exists = (line: string) => existing.has(line.slice('RCPT TO:<'.length, line.indexOf('>')));
      const host = await serve(greeting(openOnOneOf(machines, exists)));
      const results = await resultsAtOnce(host, list, madeUpOf);
      answers.push(...results.filter((_each, index) => !existing.has(list[index] ?? '')));
    });
    expect(answers.length).toBeGreaterThan(400);
    expect(answers.filter(ends('ok'))).toEqual([]);
  },
);

/** Hangs up some time after each transaction, and reaches a machine without a directory with every second session. */
function emptyOnEverySecond(hangUpMs: number): Manner {
  const sessions = new Map<Visit, number>();
  return (line, visit) => {
    const session = sessions.get(visit) ?? sessions.size;
    sessions.set(visit, session);
    if (line.startsWith('RSET')) {
      setTimeout(() => visit.socket.end(), hangUpMs);
    }
    return isRecipient(line) && session % 2 === 1 ? unknown : orderly(line);
  };
}

// A comparison always fits into the longer time, but not into the shorter one.
test.each([
  [50, 0],
  [200, 1],
])(
  'one of two machines that has no directory and hangs up after %d ms makes no existing address missing, one at a time',
  async (hangUpMs, okMin) => {
    const resultOf = proberAt(await serve(emptyOnEverySecond(hangUpMs)), madeUpOf);
    const results: string[] = [];
    for (const name of ['ann', 'bob', 'carl', 'dora', 'ed', 'fred', 'gina', 'hans']) {
      results.push(await resultOf(`here.${name}@a.example`));
      await new Promise(resolve => setTimeout(resolve, hangUpMs + 100));
    }
    expect(results.filter(ends('invalid'))).toEqual([]);
    expect(results.filter(ends('ok')).length).toBeGreaterThanOrEqual(okMin);
  },
);
