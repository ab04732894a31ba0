import type { Logger } from '@mailproof/service-kit';
import type { AccountId, ProblemCode } from '@mailproof/shared-types';
import type { OutcomeUpload } from './domain/outcomes/upload-outcomes.ts';
import type { MailKind } from './domain/users/mail-queue.ts';
import type { ValidationOutcome } from './domain/validate-single-email.ts';

/** What happens in this service, one function an event. */
export interface Events {
  validated(accountId: AccountId, requestId: string, outcome: ValidationOutcome): void;
  outcomesUploaded(accountId: AccountId, upload: OutcomeUpload): void;
  rateLimited(accountId: AccountId): void;
  authenticationFailed(code: ProblemCode): void;
  mailSent(kind: MailKind): void;
  mailRefused(kind: MailKind, fault: Error): void;
  sweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
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
    rateLimited: accountId => logger.info({ accountId }, 'request refused by the rate limit'),
    authenticationFailed: code => logger.info({ code }, 'authentication failed'),
    mailSent: kind => logger.info({ kind }, 'mail sent'),
    mailRefused: (kind, err) => logger.warn({ kind, err }, 'mail refused for good'),
    sweepFailed: err => logger.warn({ err }, 'expired sessions, links and events could not be deleted'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'redis connection failed'),
  };
}
