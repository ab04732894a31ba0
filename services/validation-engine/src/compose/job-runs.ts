import { endAccountRuns, withSandboxCredits } from '@mailproof/durable-work';
import { createRunCredits } from '@mailproof/durable-work/ledger';
import { startSweep } from '@mailproof/durable-work/postgres';
import {
  createFairTurns,
  createFollow,
  type ForgetAccount,
  isUnavailable,
  type OperationClient,
  type Recurring,
  takeEventsHandler,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { runValidationJobJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createIntakeStore } from '../adapters/postgres/intake-store.ts';
import { createJobAddresses } from '../adapters/postgres/job-runs/job-addresses.ts';
import { createJobRunStore, createJobStarts } from '../adapters/postgres/job-runs/job-run-store.ts';
import { createJobViews } from '../adapters/postgres/job-views.ts';
import type { Config } from '../config.ts';
import type { YieldingStarts } from '../domain/concurrency/in-flight.ts';
import type { AcceptJob } from '../domain/intake/accept-job.ts';
import type { FindMailHost } from '../domain/job-runs/address-chunks.ts';
import { createJobTally } from '../domain/job-runs/job-work.ts';
import { cancelJob, type FinishPorts, finishJob, pauseJob, resumeJob } from '../domain/job-runs/pause-job.ts';
import type { ProbingPorts } from '../domain/job-runs/probing.ts';
import { withoutSandboxHosts, withSandboxAnswers } from '../domain/job-runs/sandbox-runs.ts';
import { type StartJobRequest, startJob } from '../domain/job-runs/start-job.ts';
import type { Events } from '../events.ts';
import { crmJobHandlers } from '../http/crm-jobs.ts';
import { type FindJob, validationJobRunHandlers } from '../http/validation-job-runs.ts';
import { jobAnswer } from '../http/validation-jobs.ts';
import { runValidationJobHandler } from '../workers/run-validation-job.ts';

export interface JobRunsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly ledgerPeer: OperationClient;
  readonly answer: ProbingPorts<unknown>['answer'];
  readonly expect: ProbingPorts<unknown>['expect'];
  readonly findMailHost: FindMailHost;
  /** Imports the rows that a CRM import has read. */
  readonly take: AcceptJob;
  /** Paces the starts of the work for lists. */
  readonly starts: YieldingStarts;
  readonly events: Events;
  readonly now: () => Date;
}

/** Active jobs: started, paid, probed, controlled and monitored (ADR 0035). */
export interface JobRuns {
  readonly handlers: ReturnType<typeof composeHandlers>;
  readonly jobs: readonly OutboxJob[];
  /** Forgets an account only after its jobs are canceled and settled, so that none continues without an account. */
  endingJobs(forget: ForgetAccount): ForgetAccount;
  start(): void;
  /** Ends streams to clients and open questions, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

const ledgerDeadlineMs = 5_000;
/** How many jobs one process works on at once. */
const jobsAtOnceMax = 100;

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
    credits: withSandboxCredits(createRunCredits(ledgerPeer, ledgerDeadlineMs), now),
    starts: createJobStarts(pool),
    events,
    now,
    answer: withSandboxAnswers(options.answer),
    expect: options.expect,
    findMailHost: withoutSandboxHosts(async (...lookUp: Parameters<FindMailHost>) => {
      await options.starts.next();
      return options.findMailHost(...lookUp);
    }),
    inTurn: turns.take,
    mayBegin: options.starts.next,
    chunksAtOnceMax,
    addressesAtOnceMax: config.VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX,
    deadlineMs: config.VALIDATION_DEADLINE_MS,
  };
  // Pausing, resuming and ending jobs delivers nothing.
  const steering = {
    ...ports,
    work: { ...createJobTally(addresses), deliver: async () => 'waits' as const },
  };
  let sweep: Recurring | undefined;
  return {
    handlers: composeHandlers(options, { ports, steering, stopping: stopping.signal }),
    jobs: [
      outboxJob(
        runValidationJobJob,
        jobsAtOnceMax,
        runValidationJobHandler({ ports, isUnavailable, stopping: stopping.signal }),
      ),
    ],
    endingJobs: forget => async accountId => {
      const haveEnded = await endAccountRuns({ ...steering, findActive: runs.findActive }, accountId);
      return haveEnded ? forget(accountId) : { deleted: 0, remaining: true };
    },
    start() {
      sweep = startSweep({ store: runs, now, told: events.jobsTakenUp, onFailed: events.storeFailed });
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweep?.close();
    },
  };
}

function composeHandlers<Transaction>(
  { pool, now, take }: JobRunsOptions,
  {
    ports,
    steering,
    stopping,
  }: {
    readonly ports: Parameters<typeof startJob<Transaction>>[0];
    readonly steering: FinishPorts<Transaction>;
    readonly stopping: AbortSignal;
  },
) {
  const views = createJobViews(pool);
  const { discardUnfinished } = createIntakeStore(pool);
  const find: FindJob = async (...job) => {
    const view = await views.find(...job);
    return view && jobAnswer(view);
  };
  const start = (request: StartJobRequest) => startJob(ports, request);
  return {
    ...validationJobRunHandlers({
      start,
      pause: (...job) => pauseJob(steering, ...job),
      resume: (...job) => resumeJob(steering, ...job),
      finish: (...job) => finishJob(steering, ...job),
      cancel: (...job) => cancelJob(steering, ...job),
      find,
      follow: createFollow({ stopping, now }),
    }),
    takeValidationEvents: takeEventsHandler(pool, stopping),
    ...crmJobHandlers({
      take,
      find,
      start,
      async stop(...job) {
        await discardUnfinished(...job);
        await cancelJob(steering, ...job);
      },
    }),
  };
}
