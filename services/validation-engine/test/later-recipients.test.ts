import { afterAll, describe, expect, test } from '@jest/globals';
import {
  addressesOf,
  isRecipient,
  refusing,
  remembering,
  resultsAtOnce,
  resultsByThree,
  resultsInTwoParts,
  resultsOf,
  unknown,
} from './probed-lists.ts';
import {
  ask,
  closeAll,
  findingOf,
  findingsOf,
  type Manner,
  orderly,
  poolAt,
  serve,
  type Visit,
} from './unruly-host.ts';

// Most tests only wait, so they run concurrently. Those whose hosts must reply soon do not run next to one another.
afterAll(closeAll);

/** What a host can count. */
type Kind = 'recipients' | 'acceptances' | 'refusals';

function countsOf(line: string): Readonly<Record<Kind, number>> {
  const accepted = isRecipient(line) && line.startsWith('RCPT TO:<here') ? 1 : 0;
  const recipients = isRecipient(line) ? 1 : 0;
  return { recipients, acceptances: accepted, refusals: recipients - accepted };
}

/** True for recipients that come after so many of a kind, in their session or in their transaction. */
function after(count: number, kind: Kind, unit: 'session' | 'transaction' = 'session') {
  return remembering(
    () => ({ count: 0 }),
    (memory, line) => {
      memory.count = unit === 'transaction' && line.startsWith('MAIL') ? 0 : memory.count;
      const isLater = memory.count >= count;
      memory.count += countsOf(line)[kind];
      return isLater;
    },
  );
}

const afterInTransaction = (recipients: number) => after(recipients, 'recipients', 'transaction');
const afterTransactions =
  (transactions: number) =>
  (_line: string, visit: Visit): boolean =>
    visit.transactions > transactions;

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

const mixed = 'here1 nobody2 here3 nobody4 nobody5 nobody6 here7 nobody8 here9';

describe.each(positions)('a host that calls every recipient unknown after the first %s', (_name, isLater) => {
  test.concurrent('makes no mailbox of another domain missing, and none exist', async () => {
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

  test.concurrent('is not taken for one that knows its recipients if it is a catch-all', async () => {
    const host = await serve(
      refusing(isLater, line => (isRecipient(line) ? '250 2.1.5 Recipient ok' : orderly(line))),
    );
    const addresses = ['here1@a.example', 'nobody2@a.example', 'here3@b.example', 'nobody4@b.example'];
    expect(await resultsOf(host, addresses)).toEqual(addresses.map(address => `${address} catch_all`));
  });

  test.concurrent('distinguishes many recipients probed at the same time', async () => {
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
  test('is asked about two recipients more, in the session that it has anyway', async () => {
    const host = await serve(orderly);
    expect(await resultsOf(host, ['here1@a.example', 'nobody2@a.example', 'here3@a.example'])).toEqual([
      'here1@a.example ok',
      'nobody2@a.example invalid',
      'here3@a.example ok',
    ]);
    expect(host.visits).toHaveLength(1);
    expect(host.visits[0]).toMatchObject({ recipients: 13, transactions: 8 });
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

  test.each([2, 3, 4, 5, 7, 9])(
    'makes no missing mailbox exist: it knows its recipients, and accepts every %dth one regardless',
    async nth => {
      await Promise.all(
        [resultsOf, resultsAtOnce, resultsByThree].flatMap(results =>
          [mixed, 'nobody1 nobody2 nobody3 nobody4 nobody5 nobody6 nobody7 nobody8'].map(async list => {
            let recipients = 0;
            const host = await serve((line, visit) => {
              recipients += isRecipient(line) ? 1 : 0;
              return (recipients % nth === 0 ? acceptingAll : orderly)(line, visit);
            });
            const answers = await results(host, addressesOf(list));
            expect(answers.filter(answer => answer.startsWith('nobody') && answer.endsWith(' ok'))).toEqual(
              [],
            );
          }),
        ),
      );
    },
  );

  test.each([1, 2])('makes no missing mailbox exist: it knows its recipients after %d', async recipients => {
    const host = await serve(turning(recipients, acceptingAll, orderly));
    const addresses = ['nobody1', 'nobody2', 'here3', 'nobody4'].map(name => `${name}@a.example`);
    const [first, second, third, fourth] = await resultsOf(host, addresses);
    expect(first).toMatch(/ (?:unknown|catch_all)$/);
    expect(second).toMatch(/ (?:unknown|invalid)$/);
    // What it said of made-up recipients is remembered for a while.
    expect(third).toMatch(/ (?:ok|catch_all)$/);
    expect(fourth).toBe('nobody4@a.example invalid');
  });

  test.each([1, 2, 3])('makes no mailbox exist: it refuses every recipient after %d', async recipients => {
    const host = await serve(turning(recipients, orderly, refusingAll));
    expect(await resultsOf(host, ['here1@a.example'])).toEqual(['here1@a.example unknown']);
  });

  test.each([1, 2, 3])(
    'makes no mailbox missing after it took an acceptance back: it refuses every recipient after %d',
    async recipients => {
      const host = await serve(turning(recipients, orderly, refusingAll));
      const addresses = [1, 2, 3, 4].map(number => `here${number}@a.example`);
      expect(await resultsOf(host, addresses)).toEqual(addresses.map(address => `${address} unknown`));
    },
  );

  test('makes no recipient exist that was asked about along with others before', async () => {
    const host = await serve(turning(4, acceptingAll, orderly));
    const addresses = [1, 2, 3, 4, 5].map(number => `nobody${number}@a.example`);
    const results = (await resultsAtOnce(host, addresses)).map(answer => answer.split(' ')[1]);
    expect(results).not.toContain('ok');
    expect(results).toContain('unknown');
  });
});

/** Every third exists. */
const longMixed = Array.from({ length: 40 }, (_, index) => `${index % 3 === 0 ? 'here' : 'nobody'}${index}`);

describe.each([20, 35, 50])(
  'a host that calls every recipient missing after it was asked about %d',
  count => {
    test.concurrent.each([
      ['one after the other', resultsOf, 1],
      // All are asked about before any acceptance is compared.
      ['at once', resultsAtOnce, 0],
      ['by three', resultsByThree, 1],
    ])('makes no mailbox missing, asked %s', async (_, results, okMin) => {
      const host = await serve(turning(count, orderly, refusingAll));
      const answers = await results(host, addressesOf(longMixed.join(' ')));
      expect(answers.filter(answer => /^here.* invalid$/.test(answer))).toEqual([]);
      expect(answers.filter(answer => /^here.* ok$/.test(answer)).length).toBeGreaterThanOrEqual(okMin);
    });
  },
);

test('a host that has lost its recipients by the next session makes none of them missing', async () => {
  let hasLost = false;
  const host = await serve((line, visit) => (hasLost ? refusingAll : orderly)(line, visit));
  const pool = poolAt(host, 1);
  await findingsOf(pool, ['nobody1', 'here2', 'nobody3', 'here4', 'here5', 'here6', 'here7', 'here8']);
  hasLost = true;
  for (const { socket } of host.visits) {
    socket.destroy();
  }
  // The witness behind so many refusals comes later than any recipient that the host has accepted.
  const names = Array.from({ length: 8 }, (_, index) => `here${index + 11}`);
  expect(await findingsOf(pool, names)).toEqual(names.map(name => `${name} missing_for_now`));
});

const lateByRecipients = [
  ['five recipients of a session', (_line: string, { recipients }: Visit) => recipients > 5],
  ['three refusals of a session', after(3, 'refusals')],
  ['two transactions of a session', afterTransactions(2)],
  ['two recipients of a transaction', afterInTransaction(2)],
  ['three recipients of a transaction', afterInTransaction(3)],
] as const;
const lateByReplies = [
  ['three acceptances of a session', after(3, 'acceptances')],
  ['an acceptance of a transaction', after(1, 'acceptances', 'transaction')],
  ['three acceptances of a transaction', after(3, 'acceptances', 'transaction')],
  ['a refusal of a transaction', after(1, 'refusals', 'transaction')],
  ['three refusals of a transaction', after(3, 'refusals', 'transaction')],
] as const;

const twoDomains = 'here1 nobody2 nobody3@b nobody4@b nobody5 nobody6 here7@b here8';

describe.each([...lateByRecipients, ...lateByReplies])(
  'a host that calls every recipient unknown after %s',
  (_name, isLater) => {
    test.concurrent.each([
      ['of a domain', mixed],
      ['of a domain, all of which exist', 'here1 here2 here3 here4 here5 here6 here7 here8'],
      ['of two domains', twoDomains],
      [
        'of a domain of which none has been accepted',
        'here1 nobody2@b nobody3@b nobody4@b nobody5@b nobody6@b here7@b',
      ],
    ])('makes no mailbox missing, and none exist: recipients %s', async (_list, list) => {
      const addresses = addressesOf(list);
      await Promise.all(
        [resultsOf, resultsAtOnce, resultsInTwoParts].map(async results => {
          expect(await results(await serve(refusing(isLater)), addresses)).toEqual(
            addresses.map(address => `${address} ${address.startsWith('here') ? 'ok' : 'invalid'}`),
          );
        }),
      );
    });
  },
);

test.concurrent.each(lateByRecipients)(
  'a host that calls every recipient unknown after %s is not believed if it accepted every recipient before',
  async (_name, isLater) => {
    const accepting = refusing(isLater, acceptingAll);
    for (const results of [resultsOf, resultsAtOnce]) {
      const answers = await results(await serve(accepting), addressesOf(mixed));
      expect(new Set(answers.map(answer => answer.split(' ')[1]))).toEqual(new Set(['catch_all']));
    }
  },
);

test.concurrent.each([
  ['a recipient of a transaction', afterInTransaction(1)],
  ['two recipients of a transaction', afterInTransaction(2)],
  ['three recipients of a transaction', afterInTransaction(3)],
  ['five recipients of a transaction', afterInTransaction(5)],
  ['two acceptances of a transaction', after(2, 'acceptances', 'transaction')],
  ['two refusals of a transaction', after(2, 'refusals', 'transaction')],
  ['nine recipients of a session', after(9, 'recipients')],
  ['five refusals of a session', after(5, 'refusals')],
  ['eight acceptances of a session', after(8, 'acceptances')],
  ['three transactions of a session', afterTransactions(3)],
])('a host that accepts every recipient after %s makes no mailbox exist', async (_name, isLater) => {
  const manner: Manner = (line, visit) => {
    const later = isLater(line, visit);
    return isRecipient(line) && later ? '250 2.1.5 Recipient ok' : orderly(line);
  };

  const lists = [
    mixed,
    'here1 here2 nobody3 nobody4 here5 here6 here7 nobody8 nobody9 nobody10 nobody11',
    twoDomains,
  ];
  await Promise.all(
    [resultsOf, resultsAtOnce, resultsInTwoParts, resultsByThree].flatMap(results =>
      lists.map(async list => {
        const answers = await results(await serve(manner), addressesOf(list));
        expect(answers.filter(answer => answer.startsWith('nobody') && answer.endsWith(' ok'))).toEqual([]);
      }),
    ),
  );
});

describe.each(['550 Rejected', '450 4.1.1 User unknown'])('a catch-all that says %s', reply => {
  test.concurrent.each([
    ['two recipients', after(2, 'recipients')],
    ['five recipients', after(5, 'recipients')],
    ['seven recipients', after(7, 'recipients')],
    ['nine recipients', after(9, 'recipients')],
  ])(
    'to every recipient after %s of a session is not taken for one that knows them',
    async (_name, isLater) => {
      for (const list of [mixed, twoDomains]) {
        const host = await serve((line, visit) => {
          const later = isLater(line, visit);
          return isRecipient(line) && later ? reply : acceptingAll(line, visit);
        });
        const answers = await resultsAtOnce(host, addressesOf(list));
        expect(answers.filter(answer => answer.endsWith(' ok') || answer.endsWith(' invalid'))).toEqual([]);
      }
    },
  );
});

test.concurrent('a host that names one limit is not believed about another', async () => {
  let recipients = 0;
  const host = await serve((line, visit) => {
    recipients += isRecipient(line) ? 1 : 0;
    if (isRecipient(line) && recipients === 1) {
      return '452 4.5.3 Too many recipients';
    }
    return isRecipient(line) && visit.recipients > 4 ? unknown : orderly(line);
  });
  expect(await resultsOf(host, ['nobody0@a.example'])).toEqual(['nobody0@a.example unknown']);
  const addresses = addressesOf(mixed);
  expect(await resultsAtOnce(host, addresses)).toEqual(
    addresses.map(address => `${address} ${address.startsWith('here') ? 'ok' : 'invalid'}`),
  );
});

test.concurrent('a host that limits the recipients of a session answers about each of them', async () => {
  const host = await serve((line, visit) =>
    isRecipient(line) && visit.recipients > 2 ? '452 4.5.3 Too many recipients' : orderly(line),
  );
  const addresses = [1, 2, 3, 4, 5, 6].map(number => `here${number}@a.example`);
  expect(await findingsOf(poolAt(host), addresses)).toEqual(addresses.map(address => `${address} accepted`));
});

test.concurrent('a host that words this limit as a policy answers about each of them too', async () => {
  const host = await serve((line, visit) =>
    isRecipient(line) && visit.recipients > 2 ? '550 5.7.1 Relaying denied' : orderly(line),
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
