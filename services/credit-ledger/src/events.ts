import { createCounter, createGauge, type Logger } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import { type AuditReport, isClean } from './domain/audit/audit.ts';
import type { PastRuns } from './domain/audit/audit-when-due.ts';
import type { ExpiredCredits, Hold } from './domain/ledger.ts';

/** The events of this service, one function each. */
export interface Events {
  /** A hold requested more credits than the account has; only counted, because it is the customer's concern. */
  reserveRefused(): void;
  holdExpired(hold: Hold): void;
  creditsExpired(expired: ExpiredCredits): void;
  sweepFailed(error: unknown): void;
  /** An audit has ended; an unclean one must page an operator. */
  ledgerAudited(report: AuditReport): void;
  auditsSeen(past: PastRuns): void;
  auditFailed(error: unknown): void;
  accountClosed(accountId: AccountId, expired: number): void;
  databaseConnectionLost(error: Error): void;
}

/** The most faults listed in a log line; the operator's command shows the rest. */
const faultsLoggedMax = 20;

export function createEvents(logger: Logger): Events {
  const showFaults = createGauge(
    'mailproof.ledger.audit.faults',
    'Faults found by the last audit of the ledger.',
  );
  const showUnexamined = createGauge(
    'mailproof.ledger.audit.unexamined',
    'Accounts that the last audit of the ledger could not examine in time.',
  );
  const showLastClean = createGauge(
    'mailproof.ledger.audit.last_clean',
    'When an audit of the ledger last found no faults, in Unix seconds; 0 for never.',
  );
  const countRefusal = createCounter(
    'mailproof.ledger.reserve_refusals',
    'Holds refused because the account has too few credits.',
  );
  const countHold = createCounter('mailproof.ledger.holds_expired', 'Expired holds.');
  const countExpiry = createCounter(
    'mailproof.ledger.credits_expired',
    'Accounts in which a sweep expired credits.',
  );
  return {
    reserveRefused: () => countRefusal(),
    holdExpired({ holdId, accountId, runId, amount }) {
      countHold();
      logger.warn({ holdId, accountId, runId, amount }, 'hold expired, its credits were returned');
    },
    creditsExpired({ accountId, credits }) {
      countExpiry();
      logger.info({ accountId, credits }, 'credits expired');
    },
    sweepFailed: err => logger.error({ err }, 'sweeping expired holds and credits failed'),
    ledgerAudited(report) {
      const { depth, accounts, faults, faultsTotal, unexamined } = report;
      if (isClean(report)) {
        logger.info({ depth, accounts }, 'ledger audited, no fault');
      } else {
        logger.error(
          {
            depth,
            accounts,
            faultsTotal,
            faults: faults.slice(0, faultsLoggedMax),
            unexamined: unexamined.slice(0, faultsLoggedMax),
          },
          'LEDGER FAULT: the ledger contradicts itself, or could not be examined',
        );
      }
    },
    auditsSeen({ last, lastClean }) {
      showFaults(last?.faultsTotal ?? 0);
      showUnexamined(last?.unexaminedTotal ?? 0);
      showLastClean(Math.floor((lastClean?.finishedAt.getTime() ?? 0) / 1_000));
    },
    auditFailed: err => logger.error({ err }, 'auditing the ledger failed'),
    accountClosed: (accountId, expired) =>
      logger.info({ accountId, expired }, 'credits of a deleted account closed'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
  };
}
