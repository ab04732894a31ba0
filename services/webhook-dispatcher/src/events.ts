import { createCounter, type Logger } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { ExportEvents } from './domain/exports/export-ports.ts';

/** What happens in this service, one function an event. No destination, key or address is ever told. */
export interface Events extends ExportEvents {
  /** Exports had lost their jobs and have been given new ones. */
  exportsSwept(exports: number): void;
  exportSweepFailed(error: unknown): void;
  /** The time of exports was over. */
  exportsDeleted(exports: number): void;
  exportDeletionFailed(error: unknown): void;
  accountForgotten(accountId: AccountId, deleted: number): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  const countExport = createCounter(
    'mailproof.exports.ended',
    'Exports that have ended, by target, status and failure.',
  );
  return {
    exportBegun: ({ exportId, accountId, target, source, rowsTotal }) =>
      logger.info({ exportId, accountId, target, source: source.kind, rows: rowsTotal }, 'export begun'),
    exportEnded({ exportId, accountId, target, status, failure, rowsDelivered, rowsFailed, rowsGone }) {
      countExport({ target, status, failure: failure ?? 'none' });
      const rows = { delivered: rowsDelivered, failed: rowsFailed, gone: rowsGone };
      logger.info({ exportId, accountId, target, status, failure, rows }, 'export ended');
    },
    exportsSwept: exports => logger.warn({ exports }, 'exports without a job have been given one'),
    exportSweepFailed: err => logger.error({ err }, 'exports without a job could not be looked for'),
    exportsDeleted: exports => logger.info({ exports }, 'exports deleted whose time was over'),
    exportDeletionFailed: err => logger.error({ err }, 'exports whose time was over could not be deleted'),
    accountForgotten: (accountId, deleted) => logger.info({ accountId, deleted }, 'account forgotten'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
  };
}
