import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AccountId, type EmailAddress, newId, type Verdict } from '@mailproof/shared-types';
import { type AnswerPorts, answerAddress, type RememberedVerdict } from './answer-address.ts';
import { deferredInPlainWords, emailOf } from './testing/fakes.ts';
import type { Validation } from './validate-address.ts';

const email = emailOf('ada@ordinary.example');
const lifetimes = { decidedMs: 86_400_000, unknownMs: 60_000 };

let nowMs: number;
let asked: number;
let remembered: Map<string, { value: RememberedVerdict; lifetimeMs: number }>;
let deferred: { email: EmailAddress; delayMs: number }[];
let failures: unknown[];
let reporters: AccountId[];

beforeEach(() => {
  nowMs = 1_000_000;
  asked = 0;
  remembered = new Map();
  deferred = [];
  failures = [];
  reporters = [];
});

const evidence = { attempts: [] };

function detailsOf({ reason }: Pick<Verdict, 'reason'>): Verdict['details'] {
  return {
    reason,
    explanation: 'Because.',
    normalised_email: email.normalised,
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

const keyOf = (normalised: string, audience: AccountId | undefined) =>
  audience === undefined ? normalised : `${normalised} for ${audience}`;

function portsAnswering(
  verdict: Pick<Verdict, 'result' | 'reason'>,
  change: Partial<AnswerPorts> = {},
): AnswerPorts {
  return {
    memory: {
      recall: async ({ normalised }, audience) => remembered.get(keyOf(normalised, audience))?.value,
      remember: async ({ normalised }, value, lifetimeMs, audience) =>
        void remembered.set(keyOf(normalised, audience), { value, lifetimeMs }),
    },
    harvestGuard: { ask: async () => undefined, answered: async () => undefined },
    withhold: (_email, { decision }) => ({ ...decision, details: detailsOf(decision), elapsedMs: 0 }),
    snapshots: { take: async () => Promise.reject(new Error('nothing to keep')) },
    hasReported: async accountId => reporters.includes(accountId),
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
    expect(remembered.get(email.normalised)?.lifetimeMs).toBe(lifetimeMs);
  });
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

  test('is told to everybody where the account that asked has reported nothing there', async () => {
    await answer(atCatchAll('catch_all'));
    expect(await resultFor(atCatchAll('catch_all_validated'), other)).toBe('catch_all');
    expect(asked).toBe(1);
  });

  test('is never told to another account where the one that asked has reported outcomes', async () => {
    reporters = [question.accountId];
    await answer(atCatchAll('catch_all_validated'));
    expect(await resultFor(atCatchAll('catch_all'), other)).toBe('catch_all');
    expect(asked).toBe(2);
    // Each of them finds its own again.
    expect(await resultFor(atCatchAll('catch_all'), question.accountId)).toBe('catch_all_validated');
    expect(await resultFor(atCatchAll('catch_all_validated'), other)).toBe('catch_all');
    expect(asked).toBe(2);
  });

  test('does not stand in for what an account’s own outcomes would say', async () => {
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

  test('is asked about again whatever the host calls it, unless the host decided it', async () => {
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
      told.push(address.normalised);
      return never();
    };
    const ports = portsAnswering(
      { result: 'ok', reason: 'mailbox_exists' },
      { memory: { recall: async () => undefined, remember } },
    );
    expect((await answer(ports)).verdict.result).toBe('ok');
    expect(told).toEqual([email.normalised]);
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

  test('gets that for an answer, and nobody is asked', async () => {
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

  test('is counted by what it is told, from memory too, and a counter that is away stops nobody', async () => {
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
