import { createFairTurns, Problem, type Recurring, startRecurring } from '@mailproof/service-kit';
import { createOneAtATime } from '@mailproof/service-kit/workbook';
import type { Pool } from 'pg';
import { createOpenSheet } from '../adapters/files/open-sheet.ts';
import { readJsonRecords } from '../adapters/files/read-json-records.ts';
import { createComparisons } from '../adapters/postgres/comparisons.ts';
import { createIntakeStore } from '../adapters/postgres/intake-store.ts';
import { createJobRemoval } from '../adapters/postgres/job-removal.ts';
import { createJobViews } from '../adapters/postgres/job-views.ts';
import { createRevalidationStore } from '../adapters/postgres/revalidation-store.ts';
import type { Config } from '../config.ts';
import { createBoundedTurns } from '../domain/concurrency/turns.ts';
import { type AcceptJob, createAcceptJob } from '../domain/intake/accept-job.ts';
import { createChangeJob } from '../domain/intake/change-job.ts';
import { IntakeFault } from '../domain/intake/intake-fault.ts';
import { sweepJobs } from '../domain/intake/job-removal.ts';
import { createRevalidate } from '../domain/intake/revalidation.ts';
import { createUploadSlots } from '../domain/intake/upload-slots.ts';
import type { Events } from '../events.ts';
import { jobComparisonHandlers } from '../http/job-comparisons.ts';
import { validationJobHandlers } from '../http/validation-jobs.ts';
import { composeRowReader } from './validation.ts';

export interface IntakeOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  /** Resolves when the next chunk of an upload may be read. */
  readonly nextTurn: () => Promise<void>;
  readonly now: () => Date;
  readonly sweepEveryMs?: number | undefined;
}

/** Accepts, shows and removes jobs. */
export interface Intake {
  /** Imports rows as a job. */
  readonly take: AcceptJob;
  readonly handlers: ReturnType<typeof validationJobHandlers> & ReturnType<typeof jobComparisonHandlers>;
  start(): void;
  close(): Promise<void>;
}

/** Limit on concurrent uploads; each of them takes tens of megabytes. */
const uploadsInFlightMax = 6;
/** Changes of whole lists: each holds a connection to Postgres for seconds, and a process has only a few. */
const changesAtOnceMax = 2;
/** Of one account: one runs, and the others wait less long than a request may. */
const changesOfAccountMax = 3;
/**
 * While others wait, an upload slower than this rate, in octets per second, is aborted after this time in milliseconds.
 */
const octetsPerSecondMin = 16_384;
const slowAfterMs = 5_000;
const sweepEveryMsDefault = 15_000;

export function composeIntake(options: IntakeOptions): Intake {
  const { config, pool, events, nextTurn, now } = options;
  const store = createIntakeStore(pool);
  const views = createJobViews(pool);
  const removal = createJobRemoval(pool);
  const takeTurn = createBoundedTurns(
    createFairTurns(changesAtOnceMax, 1, 'change list').take,
    changesOfAccountMax,
  );
  const acceptJob = createAcceptJob({
    store,
    views,
    readRows: composeRowReader(),
    readJsonRecords,
    openSheet: createOpenSheet({ turn: nextTurn, enter: createOneAtATime() }),
    admit: createUploadSlots({
      slotsMax: uploadsInFlightMax,
      patienceMs: slowAfterMs,
      perSecondMin: octetsPerSecondMin,
      // Not the clock that a test sets, because this concerns connections.
      nowMs: () => performance.now(),
      nextTurn,
    }),
    keptDays: config.VALIDATION_JOB_KEPT_DAYS,
    isRefusal: error => error instanceof Problem && error.code === 'body_too_large',
    nowMs: () => now().getTime(),
    now,
  });
  const take: AcceptJob = async request => {
    try {
      const outcome = await acceptJob(request);
      if (outcome.kind === 'accepted') {
        events.jobTakenIn(request.requestId, outcome.job);
      }
      return outcome;
    } catch (error) {
      if (error instanceof IntakeFault) {
        events.jobRefused(request.requestId, request.accountId, error.code);
      }
      throw error;
    }
  };
  let sweep: Recurring | undefined;
  return {
    take,
    handlers: {
      ...jobComparisonHandlers(createComparisons(pool)),
      ...validationJobHandlers({
        take,
        views,
        change: createChangeJob(store, views, takeTurn),
        remove: removal.remove,
        revalidate: createRevalidate({
          store: createRevalidationStore(pool),
          views,
          takeTurn,
          keptDays: config.VALIDATION_JOB_KEPT_DAYS,
          now,
        }),
      }),
    },
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
