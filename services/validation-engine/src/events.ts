import type { Logger } from '@mailproof/service-kit';
import type { Validation } from './domain/validate-address.ts';

/** What happens in this service, one function an event. Neither addresses nor their domains are logged. */
export interface Events {
  addressValidated(requestId: string, validation: Validation): void;
  validationTurnedAway(requestId: string): void;
}

export function createEvents(logger: Logger): Events {
  return {
    addressValidated: (requestId, { verdict, evidence }) =>
      logger.info(
        {
          requestId,
          result: verdict.result,
          reason: verdict.reason,
          mxProvider: verdict.mxProvider,
          elapsedMs: verdict.elapsedMs,
          hostsTried: evidence.attempts.length,
        },
        'address validated',
      ),
    validationTurnedAway: requestId =>
      logger.warn({ requestId }, 'validation turned away, too many are under way'),
  };
}
