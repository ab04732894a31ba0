import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AccountId, type EmailAddress, newId, type Verdict } from '@mailproof/shared-types';
import { isPlainDeferral } from '../host-gate/gated-connector.ts';
import { classifyReply } from '../reply/classify-reply.ts';
import { readReply } from '../smtp/reply.ts';
import { deferredInPlainWords, emailOf, shuffledList } from '../testing/fakes.ts';
import {
  type AnswerPorts,
  answerAddress,
  firstDelayMs,
  mayBeGreylisted,
  nextDelayMs,
  type RememberedVerdict,
  readDelayMs,
} from './answer-address.ts';
import type { Validation } from './validate-address.ts';

const email = emailOf('ada@ordinary.example');
const lifetimes = { decidedMs: 86_400_000, unknownMs: 60_000 };

let nowMs: number;
let asked: number;
let remembered: Map<string, { value: RememberedVerdict; lifetimeMs: number }>;
let deferred: { email: EmailAddress; delayMs: number }[];
let failures: unknown[];
let reporters: AccountId[];
let importers: AccountId[];

beforeEach(() => {
  nowMs = 1_000_000;
  asked = 0;
  remembered = new Map();
  deferred = [];
  failures = [];
  reporters = [];
  importers = [];
});

const evidence = { attempts: [] };

function detailsOf({ reason }: Pick<Verdict, 'reason'>): Verdict['details'] {
  return {
    reason,
    explanation: 'Because.',
    normalised_email: email.normalized,
    role: false,
    disposable: false,
    age_seconds: 0,
    time_ms: 5,
    sessions: [
      {
        host: 'mx',
        address: '192.0.2.1',
        exchanges: [{ command: 'RCPT TO:<ada@ordinary.example>', reply: '250' }],
      },
    ],
  };
}

const keyOf = (normalized: string, audience: AccountId | undefined) =>
  audience === undefined ? normalized : `${normalized} for ${audience}`;

function portsAnswering(
  verdict: Pick<Verdict, 'result' | 'reason'>,
  change: Partial<AnswerPorts> = {},
): AnswerPorts {
  return {
    memory: {
      recall: async ({ normalized }, audience) => remembered.get(keyOf(normalized, audience))?.value,
      remember: async ({ normalized }, value, lifetimeMs, audience) =>
        void remembered.set(keyOf(normalized, audience), { value, lifetimeMs }),
    },
    harvestGuard: { ask: async () => undefined, answered: async () => undefined },
    withhold: (_email, { decision }) => ({ ...decision, details: detailsOf(decision), elapsedMs: 0 }),
    snapshots: { take: async () => Promise.reject(new Error('nothing to keep')) },
    hasReported: async accountId => reporters.includes(accountId),
    ownPeopleMatter: async accountId => importers.includes(accountId),
    deferredProbes: { defer: async (address, delayMs) => void deferred.push({ email: address, delayMs }) },
    async validate() {
      asked += 1;
      return {
        verdict: { ...verdict, details: detailsOf(verdict), elapsedMs: 5 },
        evidence,
      } as unknown as Validation;
    },
    nowMs: () => nowMs,
    onStoreFailed: error => void failures.push(error),
    ...change,
  };
}

const question = { accountId: newId('account'), email, deadlineMs: 1_000 };

function answer(ports: AnswerPorts, accountId = question.accountId) {
  return answerAddress(ports, lifetimes, { ...question, accountId, signal: new AbortController().signal });
}

describe('an address that was asked about before', () => {
  test('gets the same verdict with its age, and no host is asked', async () => {
    const ports = portsAnswering({ result: 'ok', reason: 'mailbox_exists' });
    const first = await answer(ports);
    nowMs += 90_500;
    const second = await answer(ports);
    expect(asked).toBe(1);
    const details = { ...first.verdict.details, age_seconds: 90, sessions: [] };
    expect(second.verdict).toEqual({ ...first.verdict, details, elapsedMs: 0 });
  });

  test.each([
    ['invalid', 'mailbox_missing', 86_400_000],
    ['catch_all', 'catch_all', 86_400_000],
    ['unknown', 'connection_failed', 60_000],
  ] as const)('is remembered for a time that fits: %s', async (result, reason, lifetimeMs) => {
    await answer(portsAnswering({ result, reason }));
    expect(remembered.get(email.normalized)?.lifetimeMs).toBe(lifetimeMs);
  });
});

test('an address of a list is validated as one', async () => {
  const given: unknown[] = [];
  const ports = portsAnswering(
    { result: 'ok', reason: 'mailbox_exists' },
    {
      validate(...[, , , , list]) {
        given.push(list);
        throw new Error('no host');
      },
    },
  );
  const signal = new AbortController().signal;
  for (const list of [shuffledList, undefined]) {
    await expect(answerAddress(ports, lifetimes, { ...question, list, signal })).rejects.toThrow('no host');
  }
  expect(given).toEqual([shuffledList, undefined]);
});

describe('what is remembered', () => {
  test('does not show the address', async () => {
    await answer(portsAnswering({ result: 'invalid', reason: 'domain_missing' }));
    expect(JSON.stringify([...remembered.values()])).not.toMatch(/ada|ordinary/);
  });
});

describe('a verdict that weighs outcomes', () => {
  const other = newId('account');
  const atCatchAll = (result: 'catch_all' | 'catch_all_validated', change: Partial<AnswerPorts> = {}) => {
    const verdict = { result, reason: 'catch_all' } as const;
    const details = {
      ...detailsOf(verdict),
      catch_all: { posterior: 0.9, prior: 0.7, weights_version: '1', evidence: [] },
    };
    return portsAnswering(verdict, {
      async validate() {
        asked += 1;
        return { verdict: { ...verdict, details, elapsedMs: 5 }, evidence } as unknown as Validation;
      },
      ...change,
    });
  };
  const resultFor = async (ports: AnswerPorts, accountId: AccountId) =>
    (await answer(ports, accountId)).verdict.result;

  test('is shared with all accounts if the account that asked has reported no outcomes of the domain', async () => {
    await answer(atCatchAll('catch_all'));
    expect(await resultFor(atCatchAll('catch_all_validated'), other)).toBe('catch_all');
    expect(asked).toBe(1);
  });

  test('is never told to another account where the one that asked has reported outcomes', async () => {
    reporters = [question.accountId];
    await answer(atCatchAll('catch_all_validated'));
    expect(await resultFor(atCatchAll('catch_all'), other)).toBe('catch_all');
    expect(asked).toBe(2);
    // Each of them finds its own verdict again.
    expect(await resultFor(atCatchAll('catch_all'), question.accountId)).toBe('catch_all_validated');
    expect(await resultFor(atCatchAll('catch_all_validated'), other)).toBe('catch_all');
    expect(asked).toBe(2);
  });

  test('does not replace what an account’s own outcomes would say', async () => {
    await answer(atCatchAll('catch_all'), other);
    reporters = [question.accountId];
    expect(await resultFor(atCatchAll('catch_all_validated'), question.accountId)).toBe(
      'catch_all_validated',
    );
    expect(asked).toBe(2);
  });

  test('is not remembered where it cannot be told whose it is', async () => {
    const hasReported = () => Promise.reject(new Error('away'));
    expect(await resultFor(atCatchAll('catch_all', { hasReported }), other)).toBe('catch_all');
    expect(remembered.size).toBe(0);
  });
});

describe('a verdict at a catch-all domain that an account’s own people change', () => {
  const [importer, other] = [newId('account'), newId('account')];
  let checks: number;
  const ports = (change: Partial<AnswerPorts> = {}) => {
    const verdict = { result: 'catch_all', reason: 'catch_all' } as const;
    const catch_all = { posterior: 0.9, prior: 0.7, weights_version: '1', evidence: [] };
    return portsAnswering(verdict, {
      async validate(_email, _deadlineMs, _signal, accountId) {
        asked += 1;
        const isOwn = importers.includes(accountId);
        const explanation = isOwn ? 'A person of the account.' : 'No one.';
        return {
          verdict: { ...verdict, details: { ...detailsOf(verdict), explanation, catch_all }, elapsedMs: 5 },
          evidence: { ...evidence, catchAll: { observations: [], restsOnOwnPeople: isOwn || undefined } },
        } as unknown as Validation;
      },
      async ownPeopleMatter(accountId) {
        checks += 1;
        return importers.includes(accountId);
      },
      snapshots: { take: async () => undefined },
      ...change,
    });
  };
  const toldTo = async (accountId: AccountId, change: Partial<AnswerPorts> = {}) =>
    (await answer(ports(change), accountId)).verdict.details.explanation;

  beforeEach(() => {
    importers = [importer];
    checks = 0;
  });

  test.each([
    ['its owner first', [importer, other]],
    ['the other account first', [other, importer]],
  ])('is remembered for its owner alone: %s', async (_order, accounts) => {
    for (const accountId of [...accounts, ...accounts]) {
      expect(await toldTo(accountId)).toBe(accountId === importer ? 'A person of the account.' : 'No one.');
    }
    expect(asked).toBe(2);
  });

  test('is told to no account once the people are gone, and new ones replace what was remembered', async () => {
    await toldTo(importer);
    importers = [];
    expect(await toldTo(importer)).toBe('No one.');
    expect(asked).toBe(2);
    importers = [other];
    expect(await toldTo(other)).toBe('A person of the account.');
    expect(await toldTo(importer)).toBe('No one.');
    expect(asked).toBe(3);
  });

  test('replaces what is remembered for an account that has reported outcomes', async () => {
    [importers, reporters] = [[], [importer]];
    expect(await toldTo(importer)).toBe('No one.');
    importers = [importer];
    expect(await toldTo(importer)).toBe('A person of the account.');
    expect(remembered.size).toBe(1);
  });

  test('is what an account gets that is remembered while it cannot be told whether its people count', async () => {
    await toldTo(importer);
    await toldTo(other);
    const ownPeopleMatter = async () => undefined;
    expect(await toldTo(importer, { ownPeopleMatter })).toBe('A person of the account.');
    expect(await toldTo(other, { ownPeopleMatter })).toBe('No one.');
    expect(asked).toBe(2);
  });

  test('costs a question only where a verdict at a catch-all domain is remembered', async () => {
    const asking = (change: Partial<AnswerPorts> = {}) => answer(ports(change), other);
    await asking();
    expect(checks).toBe(0);
    await asking();
    expect(checks).toBe(1);
    remembered.clear();
    await answer(portsAnswering({ result: 'ok', reason: 'mailbox_exists' }), other);
    await asking();
    expect(checks).toBe(1);
  });
});

describe('a validation that was broken off', () => {
  test('is not remembered', async () => {
    const ports = portsAnswering({ result: 'unknown', reason: 'session_timeout' });
    await answerAddress(ports, lifetimes, { ...question, signal: AbortSignal.abort() });
    expect(remembered.size).toBe(0);
  });
});

describe('a greylisted address', () => {
  test('is asked about again behind the answer', async () => {
    const { verdict } = await answer(portsAnswering({ result: 'unknown', reason: 'greylisted' }));
    expect(verdict.reason).toBe('greylisted');
    expect(deferred).toMatchObject([{ email, delayMs: 360_000 }]);
  });

  test('is probed again regardless of the host’s wording, unless the host decided it', async () => {
    const saying = (reply: string) => (verdict: Pick<Verdict, 'result' | 'reason'>) =>
      portsAnswering(verdict, {
        validate: async () => ({
          verdict: { ...verdict, details: detailsOf(verdict), elapsedMs: 5 },
          evidence: { mailHosts: { kind: 'no_mail_host' }, complete: true, ...deferredInPlainWords(reply) },
        }),
      });
    const inPlainWords = saying('451 Come back in 20 minutes');
    await answer(inPlainWords({ result: 'unknown', reason: 'temporary_failure' }));
    expect(deferred).toMatchObject([{ email, delayMs: 1_202_000 }]);
    await answer(inPlainWords({ result: 'unknown', reason: 'blocked' }));
    await answer(saying('421 Busy')({ result: 'unknown', reason: 'temporary_failure' }));
    expect(deferred).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  test('does not keep the answer back', async () => {
    const away = () => Promise.reject(new Error('away'));
    const ports = portsAnswering(
      { result: 'unknown', reason: 'greylisted' },
      { memory: { recall: away, remember: away }, deferredProbes: { defer: away } },
    );
    expect((await answer(ports)).verdict.result).toBe('unknown');
    // The retry is tried although the memory has failed.
    expect(failures).toHaveLength(3);
  });
});

describe('a memory that takes its time', () => {
  const never = () => new Promise<never>(() => undefined);

  test('does not keep the answer back, and has been told all the same', async () => {
    const told: string[] = [];
    const remember = (address: EmailAddress) => {
      told.push(address.normalized);
      return never();
    };
    const ports = portsAnswering(
      { result: 'ok', reason: 'mailbox_exists' },
      { memory: { recall: async () => undefined, remember } },
    );
    expect((await answer(ports)).verdict.result).toBe('ok');
    expect(told).toEqual([email.normalized]);
  });

  test('does not keep back the answer at a catch-all domain, whose evidence is kept as well', async () => {
    const told: string[] = [];
    const evidenceAtCatchAll = { ...evidence, catchAll: { observations: [] } };
    const verdict = { result: 'catch_all', reason: 'catch_all' } as const;
    const ports = portsAnswering(verdict, {
      validate: async () =>
        ({
          verdict: { ...verdict, details: { ...detailsOf(verdict), catch_all: {} }, elapsedMs: 5 },
          evidence: evidenceAtCatchAll,
        }) as unknown as Validation,
      memory: {
        recall: async () => undefined,
        remember: () => {
          told.push('verdict');
          return never();
        },
      },
      snapshots: {
        take: () => {
          told.push('snapshot');
          return never();
        },
      },
    });
    expect((await answer(ports)).verdict.result).toBe('catch_all');
    expect(told).toEqual(['verdict', 'snapshot']);
  });

  test('is waited for where an address is to be asked about again', async () => {
    let isArranged = false;
    const defer = async () => {
      await new Promise(setImmediate);
      isArranged = true;
    };
    await answer(portsAnswering({ result: 'unknown', reason: 'greylisted' }, { deferredProbes: { defer } }));
    expect(isArranged).toBe(true);
  });
});

describe('an account that seems to be guessing addresses', () => {
  const decision = { result: 'unknown', reason: 'harvest_suspected' } as const;

  test('gets that as the answer, and no host is probed', async () => {
    const ports = portsAnswering(
      { result: 'ok', reason: 'mailbox_exists' },
      {
        harvestGuard: {
          ask: async () => ({ decision, explanation: 'Because.' }),
          answered: () => Promise.reject(new Error('Nothing was found out.')),
        },
      },
    );
    const { verdict, validation } = await answer(ports);
    expect(verdict).toMatchObject(decision);
    expect(validation).toBeUndefined();
    expect(asked).toBe(0);
    expect(remembered.size).toBe(0);
  });

  test('is counted by the verdicts it gets, from memory too, and an unavailable counter blocks no one', async () => {
    const told: string[] = [];
    const harvestGuard = {
      ask: () => Promise.reject(new Error('away')),
      answered: async (_account: unknown, _email: unknown, { reason }: Pick<Verdict, 'reason'>) =>
        void told.push(reason),
    };
    const ports = portsAnswering({ result: 'invalid', reason: 'mailbox_missing' }, { harvestGuard });
    await answer(ports);
    await answer(ports);
    expect(asked).toBe(1);
    expect(told).toEqual(['mailbox_missing', 'mailbox_missing']);
    expect(failures).toHaveLength(2);
  });
});

describe('the delay that a host asks for', () => {
  test.each([
    ['4.7.1 Greylisting in action, please come back in 00:05:00', 302_000],
    ['4.2.0 Recipient address rejected: Greylisted for 300 seconds', 302_000],
    ['4.7.1 Greylisted, try again in 294 seconds', 296_000],
    ['You have been greylisted. Please try again in 5 minutes.', 302_000],
  ])('is read from %j', (text, delayMs) => {
    expect(readDelayMs(text)).toBe(delayMs);
  });

  test.each([
    '4.7.1 Greylisted, see http://postgrey.example/help/',
    '4.2.0 try again later',
    '4.7.1 come back in 00:00:00',
    '4.7.1 retry after 999999 seconds',
  ])('is nothing in %j', text => {
    expect(readDelayMs(text)).toBeUndefined();
  });
});

test('attempts come further and further apart, and end', () => {
  const delaysMs = [1, 2, 3, 4, 5, 6].map(nextDelayMs);
  expect(delaysMs).toEqual([
    firstDelayMs * 3,
    firstDelayMs * 9,
    firstDelayMs * 27,
    6 * 3_600_000,
    6 * 3_600_000,
    undefined,
  ]);
});

describe('a passing refusal', () => {
  const isPlain = (line: string) => {
    const reply = readReply(Number(line.slice(0, 3)), [line.slice(4)]);
    return isPlainDeferral(classifyReply(reply, 'rcpt'), reply);
  };

  test.each(['451 Not now', '450 4.3.0 <ada@a.example>: Come again', '451 4.3.0 Temporary lookup failure'])(
    'may come from a greylist with any words: %s',
    line => expect(isPlain(line)).toBe(true),
  );

  test.each([
    '452 4.2.2 Mailbox full',
    '450 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '450 4.7.0 Must issue a STARTTLS command first',
    '452 4.5.3 Too many recipients',
    '450 4.7.1 Error: too many connections from 192.0.2.1',
    '450 4.2.1 The user you are trying to contact is receiving mail too quickly.',
    '450 4.1.1 <ada@a.example>: User unknown',
    '421 4.3.2 Shutting down',
    '550 Rejected',
  ])('with another ground does not: %s', line => expect(isPlain(line)).toBe(false));

  test('leaves a verdict open only where nothing else decided it', () => {
    expect(mayBeGreylisted('temporary_failure', deferredInPlainWords())).toBe(true);
    expect(mayBeGreylisted('blocked', deferredInPlainWords())).toBe(false);
    expect(mayBeGreylisted('temporary_failure', deferredInPlainWords('421 Busy'))).toBe(false);
    expect(mayBeGreylisted('temporary_failure', deferredInPlainWords('421 Retry in 60 seconds'))).toBe(true);
    expect(mayBeGreylisted('temporary_failure', { attempts: [] })).toBe(false);
  });
});
