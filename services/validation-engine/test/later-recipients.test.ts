import { afterEach, describe, expect, test } from '@jest/globals';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { createComparisons } from '../src/domain/smtp/comparison.ts';
import { createLocalComparisonMemory } from '../src/domain/smtp/local-comparison-memory.ts';
import { probeRecipient } from '../src/domain/smtp/probe-recipient.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';
import { decideByProbe } from '../src/domain/verdict/decide.ts';
import {
  ask,
  clock,
  closeAll,
  findingOf,
  findingsOf,
  type Manner,
  orderly,
  poolAt,
  serve,
  type UnrulyHost,
  type Visit,
} from './unruly-host.ts';

afterEach(closeAll);

const unknown = '550 5.1.1 User unknown';
const isRecipient = (line: string) => line.startsWith('RCPT');

/** Refuses recipients because of their position in the session, and otherwise answers truthfully. */
function refusing(isLater: (line: string, visit: Visit) => boolean, answer: Manner = orderly): Manner {
  return (line, visit) => {
    const later = isLater(line, visit);
    return isRecipient(line) && later ? unknown : answer(line, visit);
  };
}

/** A host that keeps a memory for each session and updates it on each line. */
function remembering<Memory>(
  begin: () => Memory,
  isLater: (memory: Memory, line: string) => boolean,
): (line: string, visit: Visit) => boolean {
  const memories = new Map<Visit, Memory>();
  return (line, visit) => {
    const memory = memories.get(visit) ?? begin();
    memories.set(visit, memory);
    return isLater(memory, line);
  };
}

/** True for recipients of a transaction after this many. */
function afterInTransaction(recipientsMax: number): (line: string, visit: Visit) => boolean {
  return remembering(
    () => ({ recipients: 0 }),
    (memory, line) => {
      if (!isRecipient(line)) {
        memory.recipients = line.startsWith('MAIL') ? 0 : memory.recipients;
        return false;
      }
      memory.recipients += 1;
      return memory.recipients > recipientsMax;
    },
  );
}

const ofOtherDomain = remembering(
  () => ({ domain: '' }),
  (memory, line) => {
    const domain = /@(.+)>/.exec(line)?.[1];
    if (!isRecipient(line) || domain === undefined) {
      return false;
    }
    memory.domain ||= domain;
    return memory.domain !== domain;
  },
);

const positions: readonly (readonly [string, (line: string, visit: Visit) => boolean])[] = [
  ['recipient of a session', (_line, { recipients }) => recipients > 1],
  ['recipient of a transaction', afterInTransaction(1)],
  ['transaction of a session', (_line, { transactions }) => transactions > 1],
  ['domain of a session', ofOtherDomain],
];

const madeUp = [
  { shape: 'alike', localPart: 'qwertz' },
  { shape: 'random', localPart: 'anna.17' },
] as const;

/** Asks one after the other, as sequential callers do. */
async function resultsOf(host: UnrulyHost, addresses: readonly string[]): Promise<string[]> {
  const resultOf = proberAt(host);
  const results: string[] = [];
  for (const address of addresses) {
    results.push(await resultOf(address));
  }
  return results;
}

function resultsAtOnce(host: UnrulyHost, addresses: readonly string[]): Promise<string[]> {
  return Promise.all(addresses.map(proberAt(host)));
}

/** Probes a host and remembers its replies to made-up recipients. */
function proberAt(host: UnrulyHost): (address: string) => Promise<string> {
  const asker = poolAt(host);
  const ports = {
    asker,
    memory: createLocalComparisonMemory(clock),
    clock,
    nowMs: Date.now,
    onStoreFailed(error: unknown) {
      throw error;
    },
  };
  const comparisons = createComparisons(ports, { conclusiveMs: 60_000, inconclusiveMs: 0 });
  return async address => {
    const plan = { madeUp, host: 'mx.d.example', address: '127.0.0.1', provider: undefined };
    const probe = await probeRecipient(
      { asker, comparisons, clock },
      { ...plan, email: emailOf(address), oneRecipientPerTransaction: false },
      deadlineAfter(clock, 60_000, new AbortController().signal),
    );
    const result = probe.kind === 'probed' ? decideByProbe(probe.result).result : probe.failure;
    return `${address} ${result}`;
  };
}

describe.each(positions)('a host that calls every recipient unknown after the first %s', (_name, isLater) => {
  test('makes no mailbox of another domain missing, and none exist', async () => {
    for (const addresses of [
      ['here1@a.example', 'here2@b.example', 'nobody3@b.example', 'here4@a.example', 'nobody5@a.example'],
      ['nobody1@a.example', 'here2@b.example', 'nobody3@b.example', 'here4@b.example', 'here5@a.example'],
    ]) {
      const host = await serve(refusing(isLater));
      expect(await resultsOf(host, addresses)).toEqual(
        addresses.map(address => `${address} ${address.startsWith('here') ? 'ok' : 'invalid'}`),
      );
    }
  });

  test('is not taken for one that knows its recipients if it is a catch-all', async () => {
    const host = await serve(
      refusing(isLater, line => (isRecipient(line) ? '250 2.1.5 Recipient ok' : orderly(line))),
    );
    const addresses = ['here1@a.example', 'nobody2@a.example', 'here3@b.example', 'nobody4@b.example'];
    expect(await resultsOf(host, addresses)).toEqual(addresses.map(address => `${address} catch_all`));
  });

  test('tells many who are asked about at once apart', async () => {
    const host = await serve(refusing(isLater));
    const addresses = ['a', 'b'].flatMap(domain =>
      [1, 2, 3, 4, 5, 6].flatMap(number => [
        `nobody${number}@${domain}.example`,
        `here${number}@${domain}.example`,
      ]),
    );
    expect(await findingsOf(poolAt(host), addresses)).toEqual(
      addresses.map(address => `${address} ${address.startsWith('here') ? 'accepted' : 'missing'}`),
    );
  });
});

describe('an orderly host', () => {
  test('is asked about one recipient more, once, in the session that it has anyway', async () => {
    const host = await serve(orderly);
    expect(await resultsOf(host, ['here1@a.example', 'nobody2@a.example', 'here3@a.example'])).toEqual([
      'here1@a.example ok',
      'nobody2@a.example invalid',
      'here3@a.example ok',
    ]);
    expect(host.visits).toHaveLength(1);
    expect(host.visits[0]).toMatchObject({ recipients: 10, transactions: 6 });
  });

  test('that knows none of those who are asked about is visited twice more, and believed', async () => {
    const host = await serve(orderly);
    const pool = poolAt(host);
    for (let number = 0; number < 6; number += 1) {
      expect(findingOf(await ask(pool, `nobody${number}`))).toBe('missing');
    }
    expect(host.visits.length).toBeLessThanOrEqual(3);
  });
});

const acceptingAll: Manner = line => (isRecipient(line) ? '250 2.1.5 Recipient ok' : orderly(line));
const refusingAll: Manner = line => (isRecipient(line) ? unknown : orderly(line));

/** Behaves in one way for the first `recipientsMax` recipients over all sessions, and in another way after that. */
function turning(recipientsMax: number, before: Manner, after: Manner): Manner {
  let recipients = 0;
  return (line, visit) => {
    recipients += isRecipient(line) ? 1 : 0;
    return recipients > recipientsMax ? after(line, visit) : before(line, visit);
  };
}

describe('a host that changes its mind while it is asked', () => {
  test('makes no mailbox exist: it accepts every second recipient', async () => {
    let recipients = 0;
    const host = await serve((line, visit) => {
      recipients += isRecipient(line) ? 1 : 0;
      return (recipients % 2 === 1 ? acceptingAll : refusingAll)(line, visit);
    });
    expect(await resultsOf(host, ['here1@a.example'])).toEqual(['here1@a.example unknown']);
  });

  test.each([1, 2])('makes no missing mailbox exist: it knows its recipients after %d', async recipients => {
    const host = await serve(turning(recipients, acceptingAll, orderly));
    const [first, second] = await resultsOf(host, ['nobody1@a.example', 'nobody2@a.example']);
    expect(first).toMatch(/ (?:unknown|catch_all)$/);
    expect(second).toBe('nobody2@a.example invalid');
  });

  test.each([1, 2, 3])('makes no mailbox exist: it refuses every recipient after %d', async recipients => {
    const host = await serve(turning(recipients, orderly, refusingAll));
    expect(await resultsOf(host, ['here1@a.example'])).toEqual(['here1@a.example unknown']);
  });

  test('makes no recipient exist that was asked about along with others before', async () => {
    const host = await serve(turning(4, acceptingAll, orderly));
    const addresses = [1, 2, 3, 4, 5].map(number => `nobody${number}@a.example`);
    const results = (await resultsAtOnce(host, addresses)).map(answer => answer.split(' ')[1]);
    expect(results).not.toContain('ok');
    expect(results).toContain('invalid');
  });
});

const afterRefusals = remembering(
  () => ({ refusals: 0 }),
  (memory, line) => {
    const isLater = memory.refusals >= 3;
    memory.refusals += line.startsWith('RCPT TO:<here') || !isRecipient(line) ? 0 : 1;
    return isLater;
  },
);

describe.each([
  ['five recipients of a session', (_line: string, { recipients }: Visit) => recipients > 5],
  ['three refusals of a session', afterRefusals],
  ['two recipients of a transaction', afterInTransaction(2)],
  ['three recipients of a transaction', afterInTransaction(3)],
])('a host that calls every recipient unknown after %s', (_name, isLater) => {
  const names = ['here1', 'nobody2', 'here3', 'nobody4', 'nobody5', 'nobody6', 'here7', 'nobody8', 'here9'];
  const addresses = names.map(name => `${name}@a.example`);

  test('makes no mailbox missing, and none exist', async () => {
    for (const results of [resultsOf, resultsAtOnce]) {
      expect(await results(await serve(refusing(isLater)), addresses)).toEqual(
        addresses.map(address => `${address} ${address.startsWith('here') ? 'ok' : 'invalid'}`),
      );
    }
  });

  test('is not believed if it accepted every recipient before', async () => {
    const accepting = refusing(isLater, acceptingAll);
    for (const results of [resultsOf, resultsAtOnce]) {
      const answers = (await results(await serve(accepting), addresses)).map(answer => answer.split(' ')[1]);
      expect(new Set(answers)).toEqual(new Set(['catch_all']));
    }
  });
});

test('a host that limits the recipients of a session answers about each of them', async () => {
  const host = await serve((line, visit) =>
    isRecipient(line) && visit.recipients > 2 ? '452 4.5.3 Too many recipients' : orderly(line),
  );
  const addresses = [1, 2, 3, 4, 5, 6].map(number => `here${number}@a.example`);
  expect(await findingsOf(poolAt(host), addresses)).toEqual(addresses.map(address => `${address} accepted`));
});

test('a host that limits recipients per second gets a rest, not one session after the other', async () => {
  const perSecondMax = 10;
  let windowSinceMs = performance.now();
  let recipients = 0;
  const host = await serve(line => {
    if (!isRecipient(line)) {
      return orderly(line);
    }
    if (performance.now() - windowSinceMs >= 1_000) {
      windowSinceMs = performance.now();
      recipients = 0;
    }
    recipients += 1;
    return recipients > perSecondMax ? '450 4.7.1 Error: too many recipients from 192.0.2.1' : orderly(line);
  });
  const pool = poolAt(host);
  // Clients that retry at once.
  const findings = await Promise.all(
    Array.from({ length: 25 }, async (_, number) => {
      for (;;) {
        const finding = findingOf(await ask(pool, `nobody${number}`));
        if (finding !== 'too_many_recipients') {
          return finding;
        }
      }
    }),
  );
  expect(new Set(findings)).toEqual(new Set(['missing']));
  expect(host.visits.length).toBeLessThan(40);
});
