import { describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  type AssistantId,
  limits,
  newId,
  type ToolEnvelope,
  type UserId,
  unknownUsage,
} from '@mailproof/shared-types';
import {
  callWithinSpending,
  type SpendingAnswer,
  type SpendingCall,
  type SpendingPorts,
  spendingCallOf,
} from './spending.ts';
import { svcGetAccountStatus } from './svc-get-account-status.ts';
import { svcSearchPeople } from './svc-search-people.ts';
import { svcStartListValidation } from './svc-start-list-validation.ts';
import { svcValidateEmail } from './svc-validate-email.ts';
import type { Tool } from './tool.ts';

const caller = {
  accountId: 'acct_1' as AccountId,
  userId: 'user_1' as UserId,
  assistantId: 'asst_1' as AssistantId,
};

function callOf(tool: Tool, args: unknown): SpendingCall {
  const call = spendingCallOf(tool, args, caller);
  if (!call) throw new Error('The call can spend nothing.');
  return call;
}

const validation = callOf(svcValidateEmail, { email: 'ada@ordinary.example' });

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

const yes = { questionId: 'q1', isAccepted: true, about: validation.question.about };

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
    const no = { ...yes, isAccepted: false };
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

describe('a call that can spend several credits', () => {
  const [one, other] = [newId('validationJob'), newId('validationJob')];
  const listed = (jobId: string, maxCredits: number) =>
    callOf(svcStartListValidation, { job_id: jobId, max_credits: maxCredits });
  const start = listed(one, 250);
  const make = async () => answered(null);
  const answer = (isAccepted: boolean, { question }: SpendingCall): SpendingAnswer => ({
    questionId: 'q1',
    isAccepted,
    about: question.about,
  });

  it('asks first, with the number of credits and no text of the client', async () => {
    const { ports } = newCount();
    expect(await callWithinSpending(ports, start, undefined, make)).toBe('ask');
    expect(start.question.text).toBe(
      'This assistant asks to use up to 250 credits: “Validate a list of addresses”. Allow it?',
    );
  });

  it('is made after a yes, once, without counting toward the hour', async () => {
    const { counted, ports } = newCount();
    const accepted = answer(true, start);
    expect(await callWithinSpending(ports, start, accepted, make)).toEqual(answered(null));
    expect(counted.size).toBe(0);
    expect(await callWithinSpending(ports, start, accepted, make)).toBe('ask');
  });

  it('is not allowed by a yes to another list, to fewer credits or to small calls', async () => {
    const { ports } = newCount();
    for (const asked of [listed(other, 250), listed(one, 249), validation]) {
      expect(await callWithinSpending(ports, start, answer(true, asked), make)).toBe('ask');
    }
  });

  it('is refused after a no, which does not refuse another one', async () => {
    const { ports } = newCount();
    expect(await callWithinSpending(ports, start, answer(false, start), make)).toMatchObject({
      status: 403,
      data: { error: expect.stringContaining('up to 250 credits. Stop, and ask the user') },
    });
    expect(await callWithinSpending(ports, listed(other, 250), answer(false, start), make)).toBe('ask');
  });
});

describe('the credits that a call can spend', () => {
  it.each<[string, Tool, unknown]>([
    ['a free tool', svcGetAccountStatus, {}],
    ['invalid arguments, which the call itself refuses', svcValidateEmail, {}],
    ['a search within the free previews', svcSearchPeople, { job_titles: ['CEO'] }],
    [
      'a list that may cost nothing',
      svcStartListValidation,
      { job_id: newId('validationJob'), max_credits: 0 },
    ],
  ])('are none for %s', (_what, tool, args) => {
    expect(spendingCallOf(tool, args, caller)).toBeUndefined();
  });

  it('are those that the user has agreed to for a search', () => {
    expect(callOf(svcSearchPeople, { job_titles: ['CEO'], max_credits: 10 }).creditsMax).toBe(10);
  });
});
