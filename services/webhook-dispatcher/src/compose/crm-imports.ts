import { setTimeout as sleep } from 'node:timers/promises';
import {
  createFairTurns,
  createFollow,
  createServiceGuard,
  type OperationClient,
  type OutboxJob,
  outboxJob,
  type Recurring,
  type Route,
} from '@mailproof/service-kit';
import {
  cancelCrmImport,
  createCrmImport,
  deleteCrmImport,
  followCrmImport,
  forwarded,
  getCrmImport,
  limits,
  listCrmImports,
  type Operation,
  runCrmImportJob,
} from '@mailproof/shared-types';
import { createValidationJobs } from '../adapters/peers/validation-jobs.ts';
import type { Config } from '../config.ts';
import type { ConnectedCrms } from '../domain/crm/crm-access.ts';
import { createImport } from '../domain/crm/imports/create-import.ts';
import { deleteOutdatedImports } from '../domain/crm/imports/delete-imports.ts';
import type { ImportPorts } from '../domain/crm/imports/import-ports.ts';
import type { ImportStore } from '../domain/crm/imports/import-store.ts';
import { cancelImport } from '../domain/crm/imports/steer-import.ts';
import { createWriteBacks } from '../domain/crm/imports/write-backs.ts';
import { createExport } from '../domain/exports/create-export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import { cancelExport } from '../domain/push/steer-push.ts';
import type { Events } from '../events.ts';
import { cancelCrmImportRoute } from '../http/cancel-crm-import.ts';
import { createCrmImportRoute } from '../http/create-crm-import.ts';
import { deleteCrmImportRoute } from '../http/delete-crm-import.ts';
import { followCrmImportRoute } from '../http/follow-crm-import.ts';
import { getCrmImportRoute } from '../http/get-crm-import.ts';
import { listCrmImportsRoute } from '../http/list-crm-imports.ts';
import { runCrmImportHandler } from '../workers/run-crm-import.ts';
import { dayMs, deleteEveryMs, isAway, startSweeps, stillMs, sweepEveryMs } from './sweeps.ts';

export interface CrmImportsOptions {
  readonly config: Config;
  readonly imports: ImportStore;
  readonly enginePeer: OperationClient;
  readonly connected: ConnectedCrms;
  /** Exports, by which results are written back. */
  readonly exports: ExportPorts;
  readonly events: Events;
  readonly now: () => Date;
}

/** Imports from CRMs, and validations whose results go back there (ADR 0041). */
export interface CrmImports {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
  start(): void;
  /** Ends what clients follow and what is read, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

/** Imports that one process takes a step of at once, and those that it reads at once: each takes some megabytes. */
const importsAtOnceMax = 100;
const readAtOnceMax = 4;
const readOfAccountMax = 2;

export function composeCrmImports(options: CrmImportsOptions): CrmImports {
  const { imports, enginePeer, connected, exports, events, now } = options;
  const keptMs = options.config.EXPORT_KEPT_DAYS * dayMs;
  const stopping = new AbortController();
  const writeBacks = createWriteBacks({
    exports: exports.exports,
    create: request => createExport({ ...exports, keptMs }, request),
    cancel: (accountId, exportId) => cancelExport(exports, accountId, exportId),
    isSourceGone: exports.isSourceGone,
  });
  const jobs = createValidationJobs(enginePeer);
  const ports: ImportPorts = { imports, connected, jobs, writeBacks, events, now, wait };
  let sweeping: Recurring | undefined;
  return {
    routes: importRoutes(options, ports, stopping.signal),
    jobs: [
      outboxJob(
        runCrmImportJob,
        importsAtOnceMax,
        runCrmImportHandler({
          ports,
          turns: createFairTurns(readAtOnceMax, readOfAccountMax, 'read records'),
          isAway,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      sweeping = startSweeps([
        {
          everyMs: sweepEveryMs,
          work: () => imports.sweep(new Date(now().getTime() - stillMs)),
          told: events.importsSwept,
          onFailed: events.importSweepFailed,
        },
        {
          everyMs: deleteEveryMs,
          work: () => deleteOutdatedImports(ports),
          told: events.importsDeleted,
          onFailed: events.importSweepFailed,
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

function importRoutes(
  { config, events, now }: CrmImportsOptions,
  ports: ImportPorts,
  stopping: AbortSignal,
): Route[] {
  const { imports } = ports;
  const guardOf = createServiceGuard('webhook-dispatcher', config.SERVICE_PEER_KEYS);
  const guard = (operation: Operation) => guardOf(forwarded(operation));
  const keptMs = config.EXPORT_KEPT_DAYS * dayMs;
  return [
    createCrmImportRoute(guard(createCrmImport), (wanted, signal) =>
      createImport({ ...ports, events, keptMs }, wanted, answerBy(signal)),
    ),
    listCrmImportsRoute(guard(listCrmImports), imports),
    getCrmImportRoute(guard(getCrmImport), imports),
    followCrmImportRoute(guard(followCrmImport), imports, createFollow({ stopping, now })),
    cancelCrmImportRoute(guard(cancelCrmImport), (accountId, importId) =>
      cancelImport(ports, accountId, importId),
    ),
    deleteCrmImportRoute(guard(deleteCrmImport), imports),
  ];
}

/** Somebody waits for the answer, so that a CRM has less time than it has while records are read. */
function answerBy(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(limits.crmAnswerMsMax)]);
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
