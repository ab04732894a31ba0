import type { Logger } from '@mailproof/service-kit';
import type { Hold } from './domain/ledger.ts';

/** What happens in this service, one function an event. */
export interface Events {
  holdExpired(hold: Hold): void;
  sweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  return {
    holdExpired: ({ holdId, accountId, runId, amount }) =>
      logger.warn({ holdId, accountId, runId, amount }, 'hold expired, its credits went back'),
    sweepFailed: err => logger.error({ err }, 'expired holds could not be swept'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
  };
}
