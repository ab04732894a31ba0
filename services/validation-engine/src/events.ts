import type { Logger } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Answer } from './domain/answer-address.ts';
import type { StandingEvents } from './domain/standing/block-watch.ts';
import type { DoNotProbeEntry } from './domain/standing/do-not-probe.ts';

/** What happens in this service, one function an event. Neither addresses nor their domains are logged. */
export interface Events extends StandingEvents {
  addressAnswered(requestId: string, answer: Answer): void;
  validationTurnedAway(requestId: string): void;
  harvestSuspected(requestId: string, accountId: AccountId): void;
  doNotProbeListed(entry: DoNotProbeEntry): void;
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
    probingPaused: ({ name, isProvider }, untilMs) =>
      logger.warn(
        { mxProvider: isProvider ? name : undefined, until: new Date(untilMs).toISOString() },
        'probing paused, our address is refused',
      ),
    probingResumed: ({ name, isProvider }) =>
      logger.info({ mxProvider: isProvider ? name : undefined }, 'probing resumed'),
    harvestSuspected: (requestId, accountId) =>
      logger.warn({ requestId, accountId }, 'an account seems to be guessing addresses'),
    doNotProbeListed: ({ scope }) => logger.info({ scope }, 'do-not-probe entry listed on request'),
    storeFailed: err => logger.warn({ err }, 'a store failed'),
  };
}
