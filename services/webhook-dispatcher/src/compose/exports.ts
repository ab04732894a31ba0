import { setTimeout as wait } from 'node:timers/promises';
import { startSweep } from '@mailproof/durable-work/postgres';
import {
  accountExportHandler,
  createFairTurns,
  createFollow,
  type Handlers,
  isUnavailable,
  type OperationClient,
  Problem,
  type Recurring,
  startRecurring,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { limits, runExportJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createRowSources } from '../adapters/peers/row-sources.ts';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createExportStore } from '../adapters/postgres/export-store.ts';
import type { Config } from '../config.ts';
import { createExport, surveyExport } from '../domain/exports/create-export.ts';
import { deleteExport, deleteOutdatedExports, forgetAccount } from '../domain/exports/delete-export.ts';
import { createDownloadSlots, type DownloadClock } from '../domain/exports/download.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import type { RowDelivery } from '../domain/exports/row-delivery.ts';
import type { Events } from '../events.ts';
import { exportDownloadHandlers } from '../http/export-downloads.ts';
import { exportHandlers } from '../http/exports.ts';
import { runExportHandler } from '../workers/run-work.ts';
import type { Crms } from './crm.ts';
import type { CrmPushes } from './crm-pushes.ts';
import type { Pushes } from './pushes.ts';

export interface ExportsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly enginePeer: OperationClient;
  readonly enrichmentPeer: OperationClient;
  readonly delivery: RowDelivery;
  readonly pushes: Pick<Pushes, 'keepDestination' | 'beginningOf'>;
  readonly crmPushes: Pick<CrmPushes, 'prepare'>;
  /** CRM connections, which are deleted with an account's exports. */
  readonly crms: Pick<Crms, 'forgetAccount'>;
  readonly events: Events;
  readonly now: () => Date;
}

/** Exports: their records, rows, and files, and the work on them. */
export interface Exports {
  readonly handlers: ReturnType<typeof composeHandlers>;
  readonly jobs: readonly OutboxJob[];
  readonly ports: ExportPorts;
  start(): void;
  /** Ends clients' streams and running work, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

/** How many exports one process works on at once, and how many steps it takes concurrently. */
const exportsAtOnceMax = 200;
const stepsAtOnceMax = 32;
/** How long the rows of a killed worker stay claimed, in milliseconds. */
const claimMs = 10_000;
const dayMs = 86_400_000;
const deleteEveryMs = 3_600_000;
/** How many files are downloaded at once; each takes several megabytes until its reader has consumed them. */
const downloadsAtOnceMax = 12;
const downloadClock: DownloadClock = {
  nowMs: () => performance.now(),
  wait: (ms, signal) => wait(ms, undefined, { signal }),
};

export function composeExports(options: ExportsOptions): Exports {
  const { pool, enginePeer, enrichmentPeer, delivery, events, now } = options;
  const stopping = new AbortController();
  const exports = createExportStore(pool);
  const sources = createRowSources({ engine: enginePeer, enrichment: enrichmentPeer });
  const ports: ExportPorts = { exports, sources, delivery, events, isSourceGone, now, claimMs };
  const recurring: Recurring[] = [];
  return {
    ports,
    handlers: composeHandlers(options, ports, stopping.signal),
    jobs: [
      outboxJob(
        runExportJob,
        exportsAtOnceMax,
        runExportHandler({
          ports,
          turns: createFairTurns(stepsAtOnceMax, limits.activeExportsMax, 'take export on'),
          isUnavailable,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      recurring.push(
        startSweep({ store: exports, now, told: events.exportsSwept, onFailed: events.exportSweepFailed }),
        startRecurring({
          everyMs: deleteEveryMs,
          work: () => deleteOutdatedExports(ports, now()),
          told: events.exportsDeleted,
          onFailed: events.exportDeletionFailed,
        }),
      );
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await Promise.all(recurring.map(each => each.close()));
    },
  };
}

function composeHandlers(
  { config, pool, pushes, crmPushes, crms, events, now }: ExportsOptions,
  ports: ExportPorts,
  stopping: AbortSignal,
) {
  const { exports, sources } = ports;
  const keptMs = config.EXPORT_KEPT_DAYS * dayMs;
  const slots = createDownloadSlots(downloadsAtOnceMax, limits.downloadsAtOnceMax);
  return {
    ...exportHandlers({
      exports,
      sources,
      survey: (accountId, source) => surveyExport(sources, accountId, source),
      create: request => createExport({ ...ports, keptMs }, request),
      push: pushes,
      crmPush: crmPushes,
      remove: (accountId, exportId) => deleteExport(ports, accountId, exportId),
      follow: createFollow({ stopping, now }),
    }),
    ...exportDownloadHandlers({ exports, sources, isUnavailable, clock: downloadClock }, slots),
    exportAccountExports: accountExportHandler(pool, accountTables),
    async forgetAccountExports({ body: { accountId } }) {
      // Ends connections first, so that nothing is done in a CRM for a deleted account.
      const disconnected = await crms.forgetAccount(accountId);
      const outcome = await forgetAccount(ports, accountId);
      events.accountForgotten(accountId, outcome.deleted);
      return { ...outcome, remaining: outcome.remaining || disconnected > 0 };
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

export function isSourceGone(error: unknown): boolean {
  return error instanceof Problem && error.code === 'export_source_not_found';
}
