import { setTimeout as sleep } from 'node:timers/promises';
import { startSweep } from '@mailproof/durable-work/postgres';
import {
  createFairTurns,
  createFollow,
  isUnavailable,
  type OperationClient,
  type Recurring,
  startRecurring,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { limits, runCrmImportJob } from '@mailproof/shared-types';
import { createCompanyLists } from '../adapters/peers/company-lists.ts';
import { createValidationJobs } from '../adapters/peers/validation-jobs.ts';
import type { Config } from '../config.ts';
import type { ConnectedCrms } from '../domain/crm/crm.ts';
import { createImport } from '../domain/crm/imports/create-import.ts';
import { cancelImport, deleteOutdatedImports } from '../domain/crm/imports/end-import.ts';
import type { ImportPorts, ImportStore } from '../domain/crm/imports/import-ports.ts';
import { createWriteBacks } from '../domain/crm/imports/write-backs.ts';
import { createExport } from '../domain/exports/create-export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import { cancelExport } from '../domain/push/steer-push.ts';
import type { Events } from '../events.ts';
import { crmImportHandlers } from '../http/crm-imports.ts';
import { runCrmImportHandler } from '../workers/run-crm-import.ts';

export interface CrmImportsOptions {
  readonly config: Config;
  readonly imports: ImportStore;
  readonly enginePeer: OperationClient;
  readonly enrichmentPeer: OperationClient;
  readonly connected: ConnectedCrms;
  /** Exports, which write results back. */
  readonly exports: ExportPorts;
  readonly events: Events;
  readonly now: () => Date;
}

/** Imports from CRMs into validation jobs, whose results are written back there, or into lists (ADR 0041). */
export interface CrmImports {
  readonly handlers: ReturnType<typeof crmImportHandlers>;
  readonly jobs: readonly OutboxJob[];
  start(): void;
  /** Ends clients' streams and running reads, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

/**
 * How many imports one process advances at once, and how many it reads at once, in total and per account; each read
 * takes several megabytes.
 */
const importsAtOnceMax = 100;
const readAtOnceMax = 4;
const readOfAccountMax = 2;
const dayMs = 86_400_000;
const deleteEveryMs = 3_600_000;

export function composeCrmImports(options: CrmImportsOptions): CrmImports {
  const { imports, enginePeer, enrichmentPeer, connected, exports, events, now } = options;
  const keptMs = options.config.EXPORT_KEPT_DAYS * dayMs;
  const stopping = new AbortController();
  const writeBacks = createWriteBacks({
    exports: exports.exports,
    create: request => createExport({ ...exports, keptMs }, request),
    cancel: (accountId, exportId) => cancelExport(exports, accountId, exportId),
    isSourceGone: exports.isSourceGone,
  });
  const jobs = createValidationJobs(enginePeer);
  const lists = createCompanyLists(enrichmentPeer);
  const ports: ImportPorts = { imports, connected, jobs, lists, writeBacks, events, now, wait };
  const recurring: Recurring[] = [];
  return {
    handlers: crmImportHandlers({
      imports,
      create: (wanted, signal) => createImport({ ...ports, events, keptMs }, wanted, answerBy(signal)),
      cancel: (accountId, importId) => cancelImport(ports, accountId, importId),
      follow: createFollow({ stopping: stopping.signal, now }),
    }),
    jobs: [
      outboxJob(
        runCrmImportJob,
        importsAtOnceMax,
        runCrmImportHandler({
          ports,
          turns: createFairTurns(readAtOnceMax, readOfAccountMax, 'read records'),
          isUnavailable,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      recurring.push(
        startSweep({ store: imports, now, told: events.importsSwept, onFailed: events.importSweepFailed }),
        startRecurring({
          everyMs: deleteEveryMs,
          work: () => deleteOutdatedImports(ports),
          told: events.importsDeleted,
          onFailed: events.importSweepFailed,
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

/** A user waits for the answer, so the CRM has a shorter deadline than for reading records. */
function answerBy(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(limits.crmAnswerMsMax)]);
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
