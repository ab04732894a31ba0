import { endAccountRuns } from '@mailproof/paid-runs';
import { createRunCredits } from '@mailproof/paid-runs/ledger';
import {
  createFairTurns,
  createFollow,
  createServiceGuard,
  isStoreAway,
  type OperationClient,
  type OutboxJob,
  outboxJob,
  Problem,
  type Recurring,
  type Route,
  startRecurring,
} from '@mailproof/service-kit';
import {
  type AccountId,
  cancelValidationJob,
  followValidationJob,
  forwarded,
  getCrmJob,
  type Operation,
  pauseValidationJob,
  resumeValidationJob,
  runValidationJobJob,
  startCrmJob,
  startValidationJob,
  stopCrmJob,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createIntakeStore } from '../adapters/postgres/intake-store.ts';
import { createJobAddresses } from '../adapters/postgres/job-runs/job-addresses.ts';
import { createJobRunStore } from '../adapters/postgres/job-runs/job-run-store.ts';
import { createJobStarts } from '../adapters/postgres/job-runs/job-starts.ts';
import { createJobViews } from '../adapters/postgres/job-views.ts';
import type { Config } from '../config.ts';
import { createJobTally } from '../domain/job-runs/job-work.ts';
import { cancelJob, pauseJob, resumeJob } from '../domain/job-runs/pause-job.ts';
import type { FindMailHost } from '../domain/job-runs/place-addresses.ts';
import type { ProbingPorts } from '../domain/job-runs/probing.ts';
import { startJob } from '../domain/job-runs/start-job.ts';
import type { YieldingStarts } from '../domain/job-runs/yielding-starts.ts';
import type { Events } from '../events.ts';
import { followValidationJobRoute } from '../http/follow-validation-job.ts';
import type { FindJob } from '../http/found-job.ts';
import { getCrmJobRoute } from '../http/get-crm-job.ts';
import { jobAnswer } from '../http/job-answer.ts';
import { startCrmJobRoute } from '../http/start-crm-job.ts';
import { startValidationJobRoute } from '../http/start-validation-job.ts';
import { steerValidationJobRoute } from '../http/steer-validation-job.ts';
import { stopCrmJobRoute } from '../http/stop-crm-job.ts';
import { runValidationJobHandler } from '../workers/run-validation-job.ts';

export interface JobRunsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly ledgerPeer: OperationClient;
  readonly answer: ProbingPorts<unknown>['answer'];
  readonly findMailHost: FindMailHost;
  /** What lists do begins by its leave. */
  readonly starts: YieldingStarts;
  readonly events: Events;
  readonly now: () => Date;
}

type ForgetAccount = (
  accountId: AccountId,
) => Promise<{ readonly deleted: number; readonly remaining: boolean }>;

/** Jobs that are under way: started, paid, probed, steered and followed (ADR 0035). */
export interface JobRuns {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
  /** Lets an account be forgotten once its jobs have been cancelled and settled, so that none goes on for nobody. */
  endingJobs(forget: ForgetAccount): ForgetAccount;
  start(): void;
  /** Ends what clients follow and what is asked, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

const ledgerDeadlineMs = 5_000;
/** Jobs that one process works on at once. */
const jobsAtOnceMax = 100;
/** A job without work in the outbox that has not moved for so long gets some; looked for at this interval. In milliseconds. */
const stillMs = 30_000;
const sweepEveryMs = 15_000;

export function composeJobRuns(options: JobRunsOptions): JobRuns {
  const { config, pool, ledgerPeer, events, now } = options;
  const stopping = new AbortController();
  const runs = createJobRunStore(pool);
  const addresses = createJobAddresses(pool);
  const chunksAtOnceMax = config.VALIDATION_JOB_CHUNKS_AT_ONCE_MAX;
  const turns = createFairTurns(chunksAtOnceMax, chunksAtOnceMax, 'validate chunk');
  const ports = {
    runs,
    addresses,
    credits: createRunCredits(ledgerPeer, ledgerDeadlineMs),
    starts: createJobStarts(pool),
    events,
    now,
    answer: options.answer,
    async findMailHost(...lookUp: Parameters<FindMailHost>) {
      await options.starts.next();
      return options.findMailHost(...lookUp);
    },
    inTurn: turns.take,
    mayBegin: options.starts.next,
    chunksAtOnceMax,
    addressesAtOnceMax: config.VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX,
    deadlineMs: config.VALIDATION_DEADLINE_MS,
  };
  // Steering and ending deliver nothing.
  const steering = {
    ...ports,
    work: { ...createJobTally(addresses), deliver: async () => 'rests' as const },
  };
  let sweep: Recurring | undefined;
  return {
    routes: composeRoutes(options, { ports, steering, stopping: stopping.signal }),
    jobs: [
      outboxJob(
        runValidationJobJob,
        jobsAtOnceMax,
        runValidationJobHandler({ ports, isAway, stopping: stopping.signal }),
      ),
    ],
    endingJobs: forget => async accountId => {
      const endPorts = { ...steering, enqueue: runs.enqueue, findUnderWay: runs.findUnderWay };
      const haveEnded = await endAccountRuns(endPorts, accountId);
      return haveEnded ? forget(accountId) : { deleted: 0, remaining: true };
    },
    start() {
      sweep = startRecurring({
        everyMs: sweepEveryMs,
        async work() {
          const swept = await runs.sweep(stillMs);
          if (swept > 0) {
            events.jobsTakenUp(swept);
          }
        },
        onFailed: events.storeFailed,
      });
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweep?.close();
    },
  };
}

function composeRoutes<Transaction>(
  { config, pool, now }: JobRunsOptions,
  {
    ports,
    steering,
    stopping,
  }: {
    readonly ports: Parameters<typeof startJob<Transaction>>[0];
    readonly steering: Parameters<typeof pauseJob<Transaction>>[0];
    readonly stopping: AbortSignal;
  },
): Route[] {
  const guardOf = createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS);
  const guard = (operation: Operation) => guardOf(forwarded(operation));
  const views = createJobViews(pool);
  const { discardUnfinished } = createIntakeStore(pool);
  const find: FindJob = async (...job) => {
    const view = await views.find(...job);
    return view && jobAnswer(view);
  };
  return [
    startValidationJobRoute(guard(startValidationJob), request => startJob(ports, request), find),
    steerValidationJobRoute(
      pauseValidationJob,
      guard(pauseValidationJob),
      (...job) => pauseJob(steering, ...job),
      find,
    ),
    steerValidationJobRoute(
      resumeValidationJob,
      guard(resumeValidationJob),
      (...job) => resumeJob(steering, ...job),
      find,
    ),
    steerValidationJobRoute(
      cancelValidationJob,
      guard(cancelValidationJob),
      (...job) => cancelJob(steering, ...job),
      find,
    ),
    followValidationJobRoute(guard(followValidationJob), find, createFollow({ stopping, now })),
    getCrmJobRoute(guardOf(getCrmJob), find),
    startCrmJobRoute(guardOf(startCrmJob), request => startJob(ports, request), find),
    stopCrmJobRoute(guardOf(stopCrmJob), async (...job) => {
      await discardUnfinished(...job);
      await cancelJob(steering, ...job);
    }),
  ];
}

/** Whether something that a job needs is away, so that waiting for it makes sense. */
function isAway(error: unknown): boolean {
  return (error instanceof Problem && error.code === 'service_unavailable') || isStoreAway(error);
}
