import {
  createServiceGuard,
  Problem,
  type Recurring,
  type Route,
  startRecurring,
} from '@mailproof/service-kit';
import {
  changeValidationJob,
  createValidationJob,
  createValidationJobFromList,
  deleteValidationJob,
  forwarded,
  getValidationJob,
  listValidationJobRows,
  listValidationJobs,
  type Operation,
  summarizeValidationJob,
  takeCrmRows,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createIntakeStore } from '../adapters/postgres/intake-store.ts';
import { createJobRemoval } from '../adapters/postgres/job-removal.ts';
import { createJobViews } from '../adapters/postgres/job-views.ts';
import type { Config } from '../config.ts';
import { createChangeJob } from '../domain/intake/change-job.ts';
import { IntakeFault } from '../domain/intake/intake-fault.ts';
import { sweepJobs } from '../domain/intake/job-removal.ts';
import { createTakeJobIn, type TakeJobIn } from '../domain/intake/take-job-in.ts';
import { createUploadPlaces } from '../domain/intake/upload-places.ts';
import type { Events } from '../events.ts';
import { changeValidationJobRoute } from '../http/change-validation-job.ts';
import { createValidationJobRoute } from '../http/create-validation-job.ts';
import { createValidationJobFromListRoute } from '../http/create-validation-job-from-list.ts';
import { deleteValidationJobRoute } from '../http/delete-validation-job.ts';
import { getValidationJobRoute } from '../http/get-validation-job.ts';
import { listValidationJobRowsRoute } from '../http/list-validation-job-rows.ts';
import { listValidationJobsRoute } from '../http/list-validation-jobs.ts';
import { summarizeValidationJobRoute } from '../http/summarize-validation-job.ts';
import { takeCrmRowsRoute } from '../http/take-crm-rows.ts';
import { composeRowReader } from './row-reader.ts';

export interface IntakeOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  /** Resolves when the next piece of an upload may be read. */
  readonly nextTurn: () => Promise<void>;
  readonly now: () => Date;
  readonly sweepEveryMs?: number | undefined;
  readonly uploadSilentMsMax?: number | undefined;
}

/** Jobs as they come in, are looked at and go. */
export interface Intake {
  readonly routes: readonly Route[];
  start(): void;
  close(): Promise<void>;
}

/** Each of them takes some tens of megabytes. */
const uploadsInFlightMax = 6;
/** Where others wait, whoever sends less than so many octets a second gives way, after so many milliseconds. */
const octetsPerSecondMin = 16_384;
const slowAfterMs = 5_000;
const sweepEveryMsDefault = 15_000;

export function composeIntake(options: IntakeOptions): Intake {
  const { config, pool, events, nextTurn, now } = options;
  const guardOf = createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS);
  const guard = (operation: Operation) => guardOf(forwarded(operation));
  const store = createIntakeStore(pool);
  const views = createJobViews(pool);
  const removal = createJobRemoval(pool);
  const takeIn = createTakeJobIn({
    store,
    views,
    readRows: composeRowReader(),
    admit: createUploadPlaces({
      placesMax: uploadsInFlightMax,
      patienceMs: slowAfterMs,
      perSecondMin: octetsPerSecondMin,
      // Not the clock that a test sets: this is about connections.
      nowMs: () => performance.now(),
      nextTurn,
    }),
    keptDays: config.VALIDATION_JOB_KEPT_DAYS,
    isRefusal: error => error instanceof Problem && error.code === 'body_too_large',
    nowMs: () => now().getTime(),
    now,
  });
  const take: TakeJobIn = async request => {
    try {
      const job = await takeIn(request);
      if (job !== 'turned_away') {
        events.jobTakenIn(request.requestId, job);
      }
      return job;
    } catch (error) {
      if (error instanceof IntakeFault) {
        events.jobRefused(request.requestId, request.accountId, error.code);
      }
      throw error;
    }
  };
  let sweep: Recurring | undefined;
  return {
    routes: [
      createValidationJobRoute(guard(createValidationJob), take, options.uploadSilentMsMax),
      createValidationJobFromListRoute(guard(createValidationJobFromList), take),
      takeCrmRowsRoute(guardOf(takeCrmRows), take),
      listValidationJobsRoute(guard(listValidationJobs), views.list),
      getValidationJobRoute(guard(getValidationJob), views.find),
      changeValidationJobRoute(guard(changeValidationJob), createChangeJob(store, views)),
      deleteValidationJobRoute(guard(deleteValidationJob), removal.remove, views.find),
      listValidationJobRowsRoute(guard(listValidationJobRows), views.rows),
      summarizeValidationJobRoute(guard(summarizeValidationJob), views.groups),
    ],
    start() {
      sweep = startRecurring({
        everyMs: options.sweepEveryMs ?? sweepEveryMsDefault,
        work: async () => events.jobsSwept(await sweepJobs(removal, now())),
        onFailed: events.storeFailed,
      });
    },
    close: async () => sweep?.close(),
  };
}
