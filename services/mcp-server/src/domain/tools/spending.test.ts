import { describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  type AssistantId,
  limits,
  type ToolEnvelope,
  type UserId,
  unknownUsage,
} from '@mailproof/shared-types';
import { callWithinSpending, type SpendingAnswer, type SpendingPorts } from './spending.ts';
import { svcValidateEmail } from './tools.ts';

const caller = {
  accountId: 'acct_1' as AccountId,
  userId: 'user_1' as UserId,
  assistantId: 'asst_1' as AssistantId,
};
const validation = { tool: svcValidateEmail, caller };

function answered(creditsConsumed: number | null, ok = true): ToolEnvelope {
  return { ok, status: ok ? 200 : 400, data: {}, usage: { ...unknownUsage, creditsConsumed } };
}

/** A count in memory, with the rules of the one in Redis. */
function newCount(more: Partial<SpendingPorts> = {}) {
  const counted = new Set<string>();
  const used = new Set<string>();
  const noted: number[] = [];
  const ports: SpendingPorts = {
    async countSpending(_caller, callId) {
      if (counted.size >= limits.assistantCreditsUnasked) return false;
      counted.add(callId);
      return true;
    },
    uncountSpending: async (_caller, callId) => void counted.delete(callId),
    restartSpending: async () => counted.clear(),
    async useAnswer(questionId) {
      const isNew = !used.has(questionId);
      used.add(questionId);
      return isNew;
    },
    countRefused: async () => undefined,
    noteRefused: (_call, { status }) => void noted.push(status),
    ...more,
  };
  return { counted, noted, ports };
}

async function spend(ports: SpendingPorts, times: number, envelope = answered(1), answer?: SpendingAnswer) {
  const outcomes = [];
  for (let call = 0; call < times; call += 1) {
    outcomes.push(await callWithinSpending(ports, validation, answer, async () => envelope));
  }
  return outcomes;
}

const yes = { questionId: 'q1', isAccepted: true };

describe('an assistant that spends credits', () => {
  it('asks before the call that exceeds the limit, and before every further one', async () => {
    const { ports } = newCount();
    const outcomes = await spend(ports, limits.assistantCreditsUnasked + 2);
    expect(outcomes.filter(outcome => outcome === 'ask')).toHaveLength(2);
    expect(outcomes.slice(-2)).toEqual(['ask', 'ask']);
  });

  it('continues for the same number of calls after a yes, which counts once', async () => {
    const { ports } = newCount();
    await spend(ports, limits.assistantCreditsUnasked);
    expect(await spend(ports, 1, answered(1), yes)).toEqual([answered(1)]);
    const rest = await spend(ports, limits.assistantCreditsUnasked);
    expect(rest.filter(outcome => outcome === 'ask')).toHaveLength(1);
    expect(await spend(ports, 1, answered(1), yes)).toEqual(['ask']);
  });

  it('makes no call after a no, and gets the advice to ask the user', async () => {
    const { noted, ports } = newCount();
    const call = () => {
      throw new Error('No call may be made.');
    };
    const no = { questionId: 'q1', isAccepted: false };
    expect(await callWithinSpending(ports, validation, no, call)).toMatchObject({
      ok: false,
      status: 403,
      data: { error: expect.stringContaining('ask the user') },
    });
    expect(noted).toEqual([403]);
  });

  it('does not count a call that cost nothing, and counts one of unknown cost', async () => {
    const { counted, ports } = newCount();
    await spend(ports, 3, answered(0));
    await spend(ports, 3, answered(null, false));
    expect(counted.size).toBe(0);
    await spend(ports, 1, answered(null));
    expect(counted.size).toBe(1);
  });

  it('makes no call that cannot be counted', async () => {
    const { noted, ports } = newCount({ countSpending: () => Promise.reject(new Error('Redis is away')) });
    expect(await spend(ports, 1)).toMatchObject([{ ok: false, status: 503 }]);
    expect(noted).toEqual([503]);
  });

  it('is limited in how often it asks', async () => {
    const { ports } = newCount({ countSpending: async () => false, countRefused: async () => 1 });
    expect(await spend(ports, 1)).toMatchObject([{ ok: false, status: 429 }]);
  });
});
