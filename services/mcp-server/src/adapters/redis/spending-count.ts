import { limits, type RateLimiter } from '@mailproof/shared-types';
import type { SpendingPorts } from '../../domain/tools/spending.ts';

type SpendingCount = Omit<SpendingPorts, 'countRefused' | 'noteRefused'>;

/**
 * Counts in the rate windows of Redis. The limiter must ask Redis each time: with cached refusals, it would not notice
 * that calls are uncounted.
 */
export function createSpendingCount(limiter: RateLimiter, answerMsMax: number): SpendingCount {
  const subjectOf = (assistantId: string) => `spending:${assistantId}`;
  return {
    async countSpending({ assistantId }, callId) {
      const { assistantCreditsUnasked, assistantCreditsWindowMs } = limits;
      const subject = subjectOf(assistantId);
      const { admitted } = await limiter.admit(
        subject,
        callId,
        assistantCreditsUnasked,
        assistantCreditsWindowMs,
      );
      return admitted;
    },
    uncountSpending: ({ assistantId }, callId) => limiter.uncount(subjectOf(assistantId), callId),
    restartSpending: ({ assistantId }) => limiter.forget(subjectOf(assistantId)),
    async useAnswer(questionId) {
      const { admitted } = await limiter.admit(`answer:${questionId}`, questionId, 1, answerMsMax);
      return admitted;
    },
  };
}
