import { createCounter, describeSpan, type Logger } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { ConnectionEvents } from './domain/crm/connections/crm-connection.ts';
import type { ImportEvents } from './domain/crm/imports/import-ports.ts';
import type { CrmPushEvents } from './domain/crm/push/crm-push-events.ts';
import type { ExportEvents } from './domain/exports/export-ports.ts';
import type { PushEvents } from './domain/push/push-events.ts';

/** What happens in this service, one function an event. No destination, key or address is ever told. */
export interface Events extends ExportEvents, PushEvents, CrmPushEvents, ConnectionEvents, ImportEvents {
  /** Exports had lost their jobs and have been given new ones. */
  exportsSwept(exports: number): void;
  exportSweepFailed(error: unknown): void;
  /** The time of exports was over. */
  exportsDeleted(exports: number): void;
  exportDeletionFailed(error: unknown): void;
  accountForgotten(accountId: AccountId, deleted: number): void;
  /** What gives access to CRMs was sealed anew, under the ring's first key. */
  crmTokensResealed(connections: number): void;
  crmResealFailed(error: unknown): void;
  crmSweepFailed(error: unknown): void;
  /** Imports had lost their jobs and have been given new ones. */
  importsSwept(imports: number): void;
  /** The time of imports was over. */
  importsDeleted(imports: number): void;
  importSweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  const countExport = createCounter(
    'mailproof.exports.ended',
    'Exports that have ended, by target, status and failure.',
  );
  return {
    ...pushEvents(logger),
    ...connectionEvents(logger),
    ...importEvents(logger),
    ...crmPushEvents(logger),
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

function crmPushEvents(logger: Logger): Omit<CrmPushEvents, 'pushPaused'> {
  const countRows = createCounter('mailproof.crm.rows', 'Rows of pushes to CRMs, by what became of them.');
  const countUndone = createCounter(
    'mailproof.crm.undone',
    'Records of CRMs that were taken away again, or could not be, by outcome.',
  );
  return {
    crmRowsPushed({ exportId }, rows) {
      for (const [outcome, count] of Object.entries(rows)) {
        countRows({ outcome }, count);
        describeSpan({ [`mailproof.rows.${outcome}`]: count });
      }
      logger.debug({ exportId, rows }, 'rows pushed to a CRM');
    },
    undoBegun: ({ exportId, accountId, undo }) =>
      logger.info({ exportId, accountId, records: undo?.records }, 'undo of an export begun'),
    undoEnded({ exportId, accountId, undo }) {
      const { status, failure, removed = 0, failed = 0 } = undo ?? {};
      countUndone({ outcome: 'removed' }, removed);
      countUndone({ outcome: 'failed' }, failed);
      logger.info({ exportId, accountId, status, failure, removed, failed }, 'undo of an export ended');
    },
  };
}

function connectionEvents(
  logger: Logger,
): ConnectionEvents & Pick<Events, 'crmTokensResealed' | 'crmResealFailed' | 'crmSweepFailed'> {
  const countRenewed = createCounter(
    'mailproof.crm.access_renewed',
    'Access to CRMs that was renewed, or could not be, by provider and outcome.',
  );
  return {
    crmConnected: ({ connectionId, accountId, provider }) =>
      logger.info({ connectionId, accountId, provider }, 'CRM connected'),
    crmDisconnected: ({ connectionId, accountId, provider }, isRevoked) =>
      logger.info({ connectionId, accountId, provider, isRevoked }, 'CRM disconnected'),
    crmAccessRenewed(connectionId, provider) {
      countRenewed({ provider, outcome: 'renewed' });
      logger.debug({ connectionId, provider }, 'access to CRM renewed');
    },
    crmAccessLost(connectionId, provider, fault) {
      countRenewed({ provider, outcome: fault });
      logger.warn({ connectionId, provider, fault }, 'access to CRM lost');
    },
    crmAppRefused(provider, error) {
      countRenewed({ provider, outcome: 'app_refused' });
      logger.error({ provider, error }, 'CRM does not accept our app');
    },
    crmTokensResealed: connections => logger.info({ connections }, 'access to CRMs sealed anew'),
    crmResealFailed: err => logger.error({ err }, 'access to CRMs could not be sealed anew'),
    crmSweepFailed: err => logger.error({ err }, 'connections that were not completed could not be deleted'),
  };
}

function pushEvents(logger: Logger): PushEvents {
  const countRows = createCounter('mailproof.push.rows', 'Rows that were sent, by what became of them.', [
    { outcome: 'delivered' },
    { outcome: 'failed' },
    { outcome: 'retried' },
  ]);
  const countThrottled = createCounter(
    'mailproof.push.throttled',
    'Answers of receivers that asked a push to wait.',
  );
  const countPaused = createCounter(
    'mailproof.push.paused_seconds',
    'Seconds for which pushes were paused, by reason.',
  );
  return {
    batchPushed({ exportId }, { rows, throttled, pace }) {
      for (const [outcome, count] of Object.entries(rows)) {
        countRows({ outcome }, count);
        describeSpan({ [`mailproof.rows.${outcome}`]: count });
      }
      countThrottled({}, throttled);
      logger.debug({ exportId, rows, throttled, pace }, 'rows pushed');
    },
    pushPaused({ exportId }, reason, pausedMs) {
      countPaused({ reason }, pausedMs / 1_000);
      logger.info({ exportId, reason, pausedMs }, 'push paused');
    },
    destinationNotOpened: (exportId, kind) =>
      logger.error({ exportId, kind }, 'destination of a push cannot be opened'),
  };
}

function importEvents(
  logger: Logger,
): ImportEvents & Pick<Events, 'importsSwept' | 'importsDeleted' | 'importSweepFailed'> {
  const countImport = createCounter(
    'mailproof.crm_imports.ended',
    'Imports from CRMs that have ended, by state and failure.',
  );
  return {
    importBegun: ({ importId, accountId, connectionId, recordsTotal }) =>
      logger.info({ importId, accountId, connectionId, records: recordsTotal }, 'import begun'),
    importRead: ({ importId, jobId, recordsRead }) =>
      logger.info({ importId, jobId, records: recordsRead }, 'import read'),
    importPaused: ({ importId, pauseReason, resumesAt }) =>
      logger.info({ importId, reason: pauseReason, resumesAt }, 'import paused'),
    importEnded({ importId, accountId, state, failure, jobId, exportId, recordsRead }) {
      countImport({ state, failure: failure ?? 'none' });
      logger.info(
        { importId, accountId, state, failure, jobId, exportId, records: recordsRead },
        'import ended',
      );
    },
    importsSwept: imports => logger.warn({ imports }, 'imports without a job have been given one'),
    importsDeleted: imports => logger.info({ imports }, 'imports deleted whose time was over'),
    importSweepFailed: err => logger.error({ err }, 'imports could not be looked for'),
  };
}
