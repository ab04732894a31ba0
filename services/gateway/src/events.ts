import { createCounter, type Logger } from '@mailproof/service-kit';
import type { AccountId, ApiKeyId, SubscribedEventType } from '@mailproof/shared-types';
import type { BillingChange } from './domain/billing/billing-store.ts';
import type { PaymentEvents } from './domain/billing/receive-payment.ts';
import type { ValidationOutcome } from './domain/charging/validate-single-email.ts';
import type { OutcomeUpload } from './domain/outcomes/upload-outcomes.ts';
import type { MailKind } from './domain/users/mail-queue.ts';

/** The events of this service, one function each. */
export interface Events extends PaymentEvents {
  validated(accountId: AccountId, requestId: string, outcome: ValidationOutcome): void;
  outcomesUploaded(accountId: AccountId, upload: OutcomeUpload): void;
  accountRenewed(accountId: AccountId, change: BillingChange): void;
  renewalFailed(accountId: AccountId, error: unknown): void;
  renewalRoundFailed(error: unknown): void;
  reconciliationNotQueued(error: unknown): void;
  keyCannotBeShown(accountId: AccountId, apiKeyId: ApiKeyId, cause: unknown): void;
  keyUseNotNoted(apiKeyId: ApiKeyId, error: unknown): void;
  accountDeleted(accountId: AccountId, at: Date): void;
  idempotencySweepFailed(error: unknown): void;
  mailSent(kind: MailKind | SubscribedEventType): void;
  mailRefused(kind: MailKind | SubscribedEventType, fault: Error): void;
  eventsNotTaken(error: unknown): void;
  sweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  const countRenewal = createCounter('mailproof.billing.renewals', 'Accounts whose billing cycle has ended.');
  const countPayment = createCounter(
    'mailproof.payments.received',
    'Invoices that the payment provider reported or listed, by what became of them.',
  );
  return {
    validated: (accountId, requestId, { verdict, charged }) =>
      logger.info(
        {
          accountId,
          requestId,
          result: verdict.result,
          reason: verdict.reason,
          charged,
          elapsedMs: verdict.elapsedMs,
        },
        'address validated',
      ),
    outcomesUploaded: (accountId, { rows, recorded, repeated, refused }) =>
      logger.info({ accountId, rows, recorded, repeated, refused }, 'outcomes uploaded'),
    accountRenewed: (accountId, { before, after }) => {
      const plans = { accountId, planBefore: before.plan, plan: after.plan };
      const hasLapsed = after.lapsed !== undefined && before.lapsed === undefined;
      countRenewal({ outcome: hasLapsed ? 'lapsed' : after.cycle === before.cycle ? 'overdue' : 'renewed' });
      logger.info(
        { ...plans, cycleEndsAt: after.cycle?.endsAt },
        hasLapsed ? 'plan lapsed' : 'account renewed',
      );
    },
    renewalFailed: (accountId, err) => logger.error({ accountId, err }, 'account could not be renewed'),
    paymentReceived: ({ invoiceId, accountId, buys }, receipt, through) => {
      countPayment({ receipt, through });
      const facts = { invoiceId, accountId, buys, receipt, through };
      if (receipt === 'unplaced') logger.error(facts, 'payment of an invoice could not be used');
      else if (receipt !== 'ignored') logger.info(facts, 'payment of an invoice received');
    },
    paymentMissing: invoiceId => {
      countPayment({ receipt: 'missing', through: 'reconciliation' });
      logger.error({ invoiceId }, 'recorded payment has no paid invoice');
    },
    reconciliationNotQueued: err => logger.warn({ err }, 'reconciliation of payments could not be queued'),
    renewalRoundFailed: err => logger.warn({ err }, 'accounts could not be renewed'),
    keyCannotBeShown: (accountId, apiKeyId, err) =>
      logger.warn({ accountId, apiKeyId, err }, 'sealed api key could not be opened'),
    keyUseNotNoted: (apiKeyId, err) =>
      logger.warn({ apiKeyId, err }, 'last use of an api key could not be noted'),
    // Operators keep this line with the backups, to repeat the deletion after a restore (docs/privacy.md).
    accountDeleted: (accountId, at) => logger.info({ accountId, at }, 'account deleted'),
    idempotencySweepFailed: err => logger.warn({ err }, 'idempotency records could not be swept'),
    mailSent: kind => logger.info({ kind }, 'mail sent'),
    mailRefused: (kind, err) => logger.warn({ kind, err }, 'mail refused permanently'),
    eventsNotTaken: err => logger.warn({ err }, 'events could not be taken over'),
    sweepFailed: err => logger.warn({ err }, 'expired sessions, links and events could not be deleted'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'redis connection failed'),
  };
}
