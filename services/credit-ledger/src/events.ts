import { createCounter, type Logger } from '@mailproof/service-kit';
import type { ExpiredCredits, Hold } from './domain/ledger.ts';

/** What happens in this service, one function an event. */
export interface Events {
  /** Somebody wanted to hold more than there is; counted alone, since it is the customer's affair. */
  reserveRefused(): void;
  holdExpired(hold: Hold): void;
  creditsExpired(expired: ExpiredCredits): void;
  sweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  const countRefusal = createCounter(
    'mailproof.ledger.reserve_refusals',
    'Holds that were refused because the account has too few credits.',
  );
  const countHold = createCounter('mailproof.ledger.holds_expired', 'Holds whose time ran out.');
  const countExpiry = createCounter(
    'mailproof.ledger.credits_expired',
    'Accounts in which a sweep expired credits whose time was over.',
  );
  return {
    reserveRefused: () => countRefusal(),
    holdExpired({ holdId, accountId, runId, amount }) {
      countHold();
      logger.warn({ holdId, accountId, runId, amount }, 'hold expired, its credits went back');
    },
    creditsExpired({ accountId, credits }) {
      countExpiry();
      logger.info({ accountId, credits }, 'credits expired');
    },
    sweepFailed: err => logger.error({ err }, 'what is due could not be swept'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
  };
}
