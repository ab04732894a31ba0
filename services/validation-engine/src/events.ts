import type { Logger } from '@mailproof/service-kit';
import type { AccountId, OutcomeReport } from '@mailproof/shared-types';
import type { Answer } from './domain/answer-address.ts';

/** What happens in this service, one function an event. Neither addresses nor their domains are logged. */
export interface Events {
  addressAnswered(requestId: string, answer: Answer): void;
  validationTurnedAway(requestId: string): void;
  outcomesRecorded(requestId: string, accountId: AccountId, report: OutcomeReport): void;
  storeFailed(error: unknown): void;
}

export function createEvents(logger: Logger): Events {
  return {
    addressAnswered: (requestId, { verdict, validation }) =>
      logger.info(
        {
          requestId,
          result: verdict.result,
          reason: verdict.reason,
          mxProvider: verdict.mxProvider,
          elapsedMs: verdict.elapsedMs,
          ageSeconds: verdict.details.age_seconds,
          hostsTried: validation?.evidence.attempts.length ?? 0,
        },
        'address answered',
      ),
    validationTurnedAway: requestId =>
      logger.warn({ requestId }, 'validation turned away, too many are under way'),
    outcomesRecorded: (requestId, accountId, { recorded, repeated, kinds, refused }) =>
      logger.info(
        { requestId, accountId, recorded, repeated, kinds, refused: refused.length },
        'outcomes recorded',
      ),
    storeFailed: err => logger.warn({ err }, 'a store failed'),
  };
}
