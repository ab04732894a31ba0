import {
  createAccountReader,
  createFairTurns,
  createFollow,
  createServiceGuard,
  type OperationClient,
  type OutboxJob,
  outboxJob,
  Problem,
  type Recurring,
  type Route,
} from '@mailproof/service-kit';
import {
  type AccountId,
  createExport as createExportOperation,
  deleteExport as deleteExportOperation,
  downloadExport,
  downloadFailedRows,
  exportAccountExports,
  followExport,
  forgetAccountExports,
  forwarded,
  getExport,
  limits,
  listExportRows,
  listExports,
  type Operation,
  runExportJob,
  surveyExport as surveyExportOperation,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createRowSources } from '../adapters/peers/row-sources.ts';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createExportStore } from '../adapters/postgres/export-store.ts';
import type { Config } from '../config.ts';
import { createExport } from '../domain/exports/create-export.ts';
import { deleteExport, deleteOutdatedExports, forgetAccount } from '../domain/exports/delete-export.ts';
import { createDownloadPlaces } from '../domain/exports/download-places.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import type { RowDelivery } from '../domain/exports/row-delivery.ts';
import { surveyExport } from '../domain/exports/survey-export.ts';
import type { Events } from '../events.ts';
import { createExportRoute } from '../http/create-export.ts';
import { deleteExportRoute } from '../http/delete-export.ts';
import { downloadExportRoute } from '../http/download-export.ts';
import { downloadFailedRowsRoute } from '../http/download-failed-rows.ts';
import { exportAccountExportsRoute } from '../http/export-account-exports.ts';
import { followExportRoute } from '../http/follow-export.ts';
import { forgetAccountExportsRoute } from '../http/forget-account-exports.ts';
import { getExportRoute } from '../http/get-export.ts';
import { listExportRowsRoute } from '../http/list-export-rows.ts';
import { listExportsRoute } from '../http/list-exports.ts';
import { surveyExportRoute } from '../http/survey-export.ts';
import { runExportHandler } from '../workers/run-export.ts';
import type { Crms } from './crm.ts';
import type { CrmPushes } from './crm-pushes.ts';
import type { Pushes } from './pushes.ts';
import { dayMs, deleteEveryMs, isAway, startSweeps, stillMs, sweepEveryMs } from './sweeps.ts';

export interface ExportsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly enginePeer: OperationClient;
  readonly enrichmentPeer: OperationClient;
  readonly delivery: RowDelivery;
  readonly pushes: Pick<Pushes, 'keepDestination' | 'beginningOf'>;
  readonly crmPushes: Pick<CrmPushes, 'prepare'>;
  /** Forgotten with an account's exports. */
  readonly crms: Pick<Crms, 'forgetAccount'>;
  readonly events: Events;
  readonly now: () => Date;
}

/** Exports: their records, rows and files, and the work on them. */
export interface Exports {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
  readonly ports: ExportPorts;
  start(): void;
  /** Ends what clients follow and what is worked on, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

/** Exports that one process works on at once; steps that it takes at the same moment, and those of one account. */
const exportsAtOnceMax = 200;
const stepsAtOnceMax = 32;
/** How long the rows of a worker that was killed stay its own, in milliseconds. */
const claimMs = 10_000;
/** Files that are read at once; each takes some megabytes until its reader has them. */
const downloadsAtOnceMax = 12;

export function composeExports(options: ExportsOptions): Exports {
  const { pool, enginePeer, enrichmentPeer, delivery, events, now } = options;
  const stopping = new AbortController();
  const exports = createExportStore(pool);
  const sources = createRowSources({ engine: enginePeer, enrichment: enrichmentPeer });
  const ports: ExportPorts = { exports, sources, delivery, events, isSourceGone, now, claimMs };
  let sweeping: Recurring | undefined;
  return {
    ports,
    routes: exportRoutes(options, ports, stopping.signal),
    jobs: [
      outboxJob(
        runExportJob,
        exportsAtOnceMax,
        runExportHandler({
          ports,
          turns: createFairTurns(stepsAtOnceMax, limits.activeExportsMax, 'take export on'),
          isAway,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      sweeping = startSweeps([
        {
          everyMs: sweepEveryMs,
          work: () => exports.sweep(new Date(now().getTime() - stillMs)),
          told: events.exportsSwept,
          onFailed: events.exportSweepFailed,
        },
        {
          everyMs: deleteEveryMs,
          work: () => deleteOutdatedExports(ports, now()),
          told: events.exportsDeleted,
          onFailed: events.exportDeletionFailed,
        },
      ]);
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweeping?.close();
    },
  };
}

function exportRoutes(
  { config, pool, pushes, crmPushes, crms, events, now }: ExportsOptions,
  ports: ExportPorts,
  stopping: AbortSignal,
): Route[] {
  const { exports, sources } = ports;
  const guardOf = createServiceGuard('webhook-dispatcher', config.SERVICE_PEER_KEYS);
  const guard = (operation: Operation) => guardOf(forwarded(operation));
  const keptMs = config.EXPORT_KEPT_DAYS * dayMs;
  const places = createDownloadPlaces(downloadsAtOnceMax, limits.downloadsAtOnceMax);
  const forget = async (accountId: AccountId) => {
    // Connections first, so that nothing is done in a CRM in the name of an account that is gone.
    const disconnected = await crms.forgetAccount(accountId);
    const outcome = await forgetAccount(ports, accountId);
    events.accountForgotten(accountId, outcome.deleted);
    return { ...outcome, remaining: outcome.remaining || disconnected > 0 };
  };
  return [
    surveyExportRoute(guard(surveyExportOperation), (accountId, source) =>
      surveyExport(sources, accountId, source),
    ),
    createExportRoute(guard(createExportOperation), pushes, crmPushes, request =>
      createExport({ ...ports, keptMs }, request),
    ),
    listExportsRoute(guard(listExports), exports),
    getExportRoute(guard(getExport), exports),
    followExportRoute(guard(followExport), exports, createFollow({ stopping, now })),
    deleteExportRoute(guard(deleteExportOperation), (accountId, exportId) =>
      deleteExport(ports, accountId, exportId),
    ),
    listExportRowsRoute(guard(listExportRows), exports),
    downloadExportRoute(guard(downloadExport), ports, places),
    downloadFailedRowsRoute(guard(downloadFailedRows), ports, places),
    exportAccountExportsRoute(guardOf(exportAccountExports), createAccountReader(pool, accountTables)),
    forgetAccountExportsRoute(guardOf(forgetAccountExports), forget),
  ];
}

export function isSourceGone(error: unknown): boolean {
  return error instanceof Problem && error.code === 'export_source_not_found';
}
