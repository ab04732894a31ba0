import { describe, expect, test } from '@jest/globals';
import { deadlineAfter } from '../concurrency/deadline.ts';
import { judgeComparison } from './ask-made-up.ts';
import { createComparisons } from './comparison.ts';
import type { Finding } from './conversation.ts';
import { createLocalComparisonMemory } from './local-comparison-memory.ts';
import type { RecipientAnswer, RecipientAsker, RecipientQuestion } from './pool/recipient-asker.ts';

const clock = { nowMs: () => performance.now() };
const madeUp = [
  { shape: 'alike', localPart: 'quick' },
  { shape: 'random', localPart: 'slow' },
] as const;
const pattern: RecipientQuestion = {
  address: '192.0.2.1',
  serverName: undefined,
  provider: undefined,
  localPart: 'ada',
  domain: 'a.example',
  international: false,
  alone: false,
};

const acceptance: RecipientAnswer = {
  kind: 'answered',
  finding: 'accepted',
  first: true,
  inCompany: false,
  opening: [],
  transcript: [],
};

/**
 * Answers about the quick one at once, and about the slow one when no caller is waiting any longer.
 *
 * @param again the finding if the accepted recipient is asked about again; if omitted, that answer is slow too
 */
function askerThat(says: Finding, inCompany: boolean, again?: Finding): RecipientAsker {
  const answered = (finding: Finding): RecipientAnswer => ({
    kind: 'answered',
    finding,
    first: true,
    inCompany,
    opening: [],
    transcript: [],
  });
  return {
    ask({ localPart }, { signal }) {
      const finding = localPart === 'quick' ? says : localPart === pattern.localPart ? again : undefined;
      return finding !== undefined
        ? Promise.resolve(answered(finding))
        : new Promise(resolve => {
            signal.addEventListener('abort', () => resolve(answered('timeout')), { once: true });
          });
    },
  };
}

describe('a comparison that is not over when time is up', () => {
  test.each<readonly [string, Finding, boolean, string, Finding | undefined]>([
    ['a clear refusal', 'missing', false, 'knows_recipients', undefined],
    ['a clear refusal, and the same acceptance', 'missing', false, 'knows_recipients', 'accepted'],
    ['a clear refusal, also of the accepted one', 'missing', false, 'inconclusive', 'missing'],
    ['an acceptance', 'accepted', false, 'accepts_everybody', undefined],
    ['an acceptance that may be owed to company', 'accepted', true, 'inconclusive', undefined],
    ['a passing fault', 'temporary', false, 'inconclusive', undefined],
  ])('counts what was said so far: %s', async (_name, finding, inCompany, judgment, again) => {
    const comparisons = createComparisons(
      {
        asker: askerThat(finding, inCompany, again),
        memory: createLocalComparisonMemory(clock),
        clock,
        nowMs: Date.now,
        onStoreFailed(error) {
          throw error;
        },
      },
      { conclusiveMs: 60_000, inconclusiveMs: 0 },
    );
    const compare = () =>
      comparisons.compare(
        {
          host: 'mx.a.example',
          question: pattern,
          answer: acceptance,
          askedAtMs: clock.nowMs(),
          answeredAtMs: clock.nowMs(),
          madeUp,
        },
        comparisons.visit('mx.a.example', pattern),
        deadlineAfter(clock, 20, new AbortController().signal),
      );
    // Twice, because none of it is remembered.
    for (let time = 0; time < 2; time += 1) {
      const compared = await compare();
      expect(judgeComparison(compared.madeUp)).toBe(judgment);
      expect(compared.ageMs).toBe(0);
    }
  });
});
