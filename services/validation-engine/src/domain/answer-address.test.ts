import { beforeEach, describe, expect, test } from '@jest/globals';
import { type EmailAddress, newId, type Verdict } from '@mailproof/shared-types';
import { type AnswerPorts, answerAddress, type RememberedVerdict } from './answer-address.ts';
import { emailOf } from './testing/fakes.ts';
import type { Validation } from './validate-address.ts';

const email = emailOf('ada@ordinary.example');
const lifetimes = { decidedMs: 86_400_000, unknownMs: 60_000 };

let nowMs: number;
let asked: number;
let remembered: Map<string, { value: RememberedVerdict; lifetimeMs: number }>;
let deferred: { email: EmailAddress; delayMs: number }[];
let failures: unknown[];

beforeEach(() => {
  nowMs = 1_000_000;
  asked = 0;
  remembered = new Map();
  deferred = [];
  failures = [];
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

function portsAnswering(
  verdict: Pick<Verdict, 'result' | 'reason'>,
  change: Partial<AnswerPorts> = {},
): AnswerPorts {
  return {
    memory: {
      recall: async ({ normalised }) => remembered.get(normalised)?.value,
      remember: async ({ normalised }, value, lifetimeMs) =>
        void remembered.set(normalised, { value, lifetimeMs }),
    },
    harvestGuard: { ask: async () => undefined, answered: async () => undefined },
    withhold: (_email, { decision }) => ({ ...decision, details: detailsOf(decision), elapsedMs: 0 }),
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

function answer(ports: AnswerPorts) {
  return answerAddress(ports, lifetimes, { ...question, signal: new AbortController().signal });
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
});

describe('a store that fails', () => {
  test('does not keep the answer back', async () => {
    const away = () => Promise.reject(new Error('away'));
    const ports = portsAnswering(
      { result: 'unknown', reason: 'greylisted' },
      { memory: { recall: away, remember: away }, deferredProbes: { defer: away } },
    );
    expect((await answer(ports)).verdict.result).toBe('unknown');
    expect(failures).toHaveLength(2);
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
