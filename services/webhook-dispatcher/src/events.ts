import { createCounter, createRareWarning, describeSpan, type Logger } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { ConnectionEvents } from './domain/crm/connections/crm-connection.ts';
import type { ImportEvents } from './domain/crm/imports/import-ports.ts';
import type { CrmPushEvents } from './domain/crm/push/push-ports.ts';
import type { Attempt, Delivery, DeliveryEvents } from './domain/events/delivery.ts';
import type { EndpointEvents } from './domain/events/endpoint.ts';
import type { StorePorts } from './domain/events/take-events.ts';
import type { ExportEvents } from './domain/exports/export-ports.ts';
import type { OutcomeSource, SourceAct } from './domain/outcomes/outcome-source.ts';
import type { ReceiveEvents } from './domain/outcomes/receive-events.ts';
import type { PushEvents } from './domain/push/push-state.ts';

/** The events of this service, one function per event. They never contain a destination, key, or address. */
export interface Events
  extends ExportEvents,
    PushEvents,
    CrmPushEvents,
    ConnectionEvents,
    ImportEvents,
    WebhookEventEvents,
    OutcomeSourceEvents {
  /** Exports that had lost their jobs got new ones. */
  exportsSwept(exports: number): void;
  exportSweepFailed(error: unknown): void;
  /** Expired exports were deleted. */
  exportsDeleted(exports: number): void;
  exportDeletionFailed(error: unknown): void;
  accountForgotten(accountId: AccountId, deleted: number): void;
  /** Tokens of CRMs were resealed with the ring's first key. */
  crmTokensResealed(connections: number): void;
  crmResealFailed(error: unknown): void;
  crmSweepFailed(error: unknown): void;
  /** Imports that had lost their jobs got new ones. */
  importsSwept(imports: number): void;
  /** Expired imports were deleted. */
  importsDeleted(imports: number): void;
  importSweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  const countExport = createCounter(
    'mailproof.exports.ended',
    'Ended exports, by target, status and failure.',
  );
  return {
    ...pushEvents(logger),
    ...connectionEvents(logger),
    ...importEvents(logger),
    ...crmPushEvents(logger),
    ...webhookEventEvents(logger),
    ...outcomeSourceEvents(logger),
    exportStarted: ({ exportId, accountId, target, source, rowsTotal }) =>
      logger.info({ exportId, accountId, target, source: source.kind, rows: rowsTotal }, 'export started'),
    exportEnded({ exportId, accountId, target, status, failure, rowsDelivered, rowsFailed, rowsGone }) {
      countExport({ target, status, failure: failure ?? 'none' });
      const rows = { delivered: rowsDelivered, failed: rowsFailed, gone: rowsGone };
      logger.info({ exportId, accountId, target, status, failure, rows }, 'export ended');
    },
    exportsSwept: exports => logger.warn({ exports }, 're-enqueued orphaned exports'),
    exportSweepFailed: err => logger.error({ err }, 'search for orphaned exports failed'),
    exportsDeleted: exports => logger.info({ exports }, 'expired exports deleted'),
    exportDeletionFailed: err => logger.error({ err }, 'deleting expired exports failed'),
    accountForgotten: (accountId, deleted) => logger.info({ accountId, deleted }, 'account forgotten'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
  };
}

type WebhookEventEvents = DeliveryEvents &
  EndpointEvents &
  StorePorts['events'] & {
    /** A service could not be asked for its events; it is asked again. */
    eventsNotTaken(service: string, error: unknown): void;
    /** Deliveries that had lost their jobs got new ones. */
    deliveriesSwept(deliveries: number): void;
    deliveriesDeleted(deliveries: number): void;
    deliverySweepFailed(error: unknown): void;
    /** Destinations of events were resealed with the ring's first key. */
    endpointsResealed(endpoints: number): void;
  };

function webhookEventEvents(logger: Logger): WebhookEventEvents {
  const countAttempt = createCounter(
    'mailproof.events.attempts',
    'Attempts to deliver an event, by type and outcome.',
  );
  const countDisabled = createCounter(
    'mailproof.events.endpoints_disabled',
    'Webhook endpoints that were disabled because they failed, by reason.',
    [{ reason: 'failing' }, { reason: 'gone' }],
  );
  const notTaken = createRareWarning(logger, 'events could not be taken over');
  const factsOf = (
    { deliveryId, eventId, accountId, type, state }: Delivery,
    { attemptNo, statusCode, fault, durationMs }: Attempt,
  ) => ({ deliveryId, eventId, accountId, type, state, attempt: attemptNo, statusCode, fault, durationMs });
  return {
    eventDelivered(delivery, attempt) {
      countAttempt({ type: delivery.type, outcome: 'delivered' });
      logger.info(factsOf(delivery, attempt), 'event delivered');
    },
    eventNotDelivered(delivery, attempt) {
      countAttempt({ type: delivery.type, outcome: attempt.fault ?? 'failed' });
      logger.info(factsOf(delivery, attempt), 'event not delivered');
    },
    endpointDisabled(endpointId, accountId, reason) {
      countDisabled({ reason });
      logger.warn({ endpointId, accountId, reason }, 'webhook endpoint disabled');
    },
    endpointManaged: ({ endpointId, accountId }, callerId, act) =>
      logger.info({ endpointId, accountId, callerId, ...act }, 'webhook endpoint managed'),
    eventNotKnown: (eventId, type) => logger.error({ eventId, type }, 'event is not known'),
    eventsNotTaken: (service, error) => notTaken(error, { service }),
    deliveriesSwept: deliveries => logger.warn({ deliveries }, 're-enqueued orphaned deliveries'),
    deliveriesDeleted: deliveries => logger.info({ deliveries }, 'expired deliveries deleted'),
    deliverySweepFailed: err => logger.error({ err }, 'maintenance of deliveries failed'),
    endpointsResealed: endpoints => logger.info({ endpoints }, 'webhook endpoints re-encrypted'),
  };
}

interface OutcomeSourceEvents extends ReceiveEvents {
  outcomeSourceManaged(
    source: Pick<OutcomeSource, 'sourceId' | 'accountId'>,
    callerId: string,
    act: SourceAct,
  ): void;
  /** Verification keys were resealed with the ring's first key. */
  outcomeKeysResealed(sources: number): void;
  outcomeResealFailed(error: unknown): void;
}

function outcomeSourceEvents(logger: Logger): OutcomeSourceEvents {
  const countEvents = createCounter(
    'mailproof.outcome_sources.events',
    'Events that mail providers reported, by provider and result: recorded, repeated, or why they were ignored.',
  );
  const countRefused = createCounter(
    'mailproof.outcome_sources.refused',
    'Requests of mail providers that were refused, by provider and reason.',
  );
  return {
    outcomesReceived({ sourceId, accountId, provider }, { recorded, repeated, ignored }) {
      for (const [result, count] of Object.entries({ recorded, repeated, ...ignored })) {
        if (count > 0) countEvents({ provider, result }, count);
      }
      logger.debug({ sourceId, accountId, provider, recorded, repeated, ignored }, 'outcomes received');
    },
    outcomeRequestRefused({ sourceId, accountId, provider }, reason) {
      countRefused({ provider, reason });
      logger.info({ sourceId, accountId, provider, reason }, 'request of a mail provider refused');
    },
    outcomeSourceManaged: ({ sourceId, accountId }, callerId, act) =>
      logger.info({ sourceId, accountId, callerId, act }, 'outcome source managed'),
    outcomeKeysResealed: sources => logger.info({ sources }, 'verification keys re-encrypted'),
    outcomeResealFailed: err => logger.error({ err }, 're-encrypting verification keys failed'),
  };
}

function crmPushEvents(logger: Logger): Omit<CrmPushEvents, 'pushPaused'> {
  const countRows = createCounter('mailproof.crm.rows', 'Rows of pushes to CRMs, by result.');
  const countUndone = createCounter('mailproof.crm.undone', 'Undone creations of CRM records, by outcome.');
  return {
    crmRowsPushed({ exportId }, rows) {
      for (const [outcome, count] of Object.entries(rows)) {
        countRows({ outcome }, count);
        describeSpan({ [`mailproof.rows.${outcome}`]: count });
      }
      logger.debug({ exportId, rows }, 'rows pushed to a CRM');
    },
    undoStarted: ({ exportId, accountId, undo }) =>
      logger.info({ exportId, accountId, records: undo?.records }, 'undo of an export started'),
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
    'Renewals of CRM access, by provider and outcome.',
  );
  return {
    crmConnected: ({ connectionId, accountId, provider }) =>
      logger.info({ connectionId, accountId, provider }, 'CRM connected'),
    crmDisconnected: ({ connectionId, accountId, provider }, isRevoked) =>
      logger.info({ connectionId, accountId, provider, isRevoked }, 'CRM disconnected'),
    crmAccessRenewed(connectionId, provider) {
      countRenewed({ provider, outcome: 'renewed' });
      logger.debug({ connectionId, provider }, 'CRM access token renewed');
    },
    crmAccessLost(connectionId, provider, fault) {
      countRenewed({ provider, outcome: fault });
      logger.warn({ connectionId, provider, fault }, 'CRM access lost');
    },
    crmAppRefused(provider, error) {
      countRenewed({ provider, outcome: 'app_refused' });
      logger.error({ provider, error }, 'CRM rejects our app');
    },
    crmTokensResealed: connections => logger.info({ connections }, 'CRM credentials re-encrypted'),
    crmResealFailed: err => logger.error({ err }, 're-encrypting CRM credentials failed'),
    crmSweepFailed: err => logger.error({ err }, 'connections that were not completed could not be deleted'),
  };
}

function pushEvents(logger: Logger): PushEvents {
  const countRows = createCounter('mailproof.push.rows', 'Rows sent, by result.', [
    { outcome: 'delivered' },
    { outcome: 'failed' },
    { outcome: 'retried' },
  ]);
  const countThrottled = createCounter(
    'mailproof.push.throttled',
    'Responses of receivers that rate limited a push.',
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
    'Ended CRM imports, by state and failure.',
  );
  return {
    importStarted: ({ importId, accountId, connectionId, recordsTotal }) =>
      logger.info({ importId, accountId, connectionId, records: recordsTotal }, 'import started'),
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
    importsSwept: imports => logger.warn({ imports }, 're-enqueued orphaned imports'),
    importsDeleted: imports => logger.info({ imports }, 'expired imports deleted'),
    importSweepFailed: err => logger.error({ err }, 'search for orphaned imports failed'),
  };
}
