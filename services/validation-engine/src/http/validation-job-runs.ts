import { hasEnded } from '@mailproof/durable-work';
import {
  type Follow,
  type Handlers,
  Problem,
  publicRequestId,
  readRequestKey,
  simulatedProblem,
} from '@mailproof/service-kit';
import {
  type AccountId,
  prices,
  startValidationJob,
  type ValidationJob,
  type ValidationJobId,
} from '@mailproof/shared-types';
import type { SteerOutcome } from '../domain/job-runs/pause-job.ts';
import type { StartJobOutcome, StartJobRequest } from '../domain/job-runs/start-job.ts';

type Steer = (accountId: AccountId, jobId: ValidationJobId) => Promise<SteerOutcome>;

export interface ValidationJobRunPorts {
  readonly start: (request: StartJobRequest) => Promise<StartJobOutcome>;
  readonly pause: Steer;
  readonly resume: Steer;
  readonly finish: Steer;
  readonly cancel: Steer;
  readonly find: FindJob;
  readonly follow: Follow;
}

/** Active validation jobs: started, controlled and monitored (ADR 0035). */
export function validationJobRunHandlers({
  start,
  pause,
  resume,
  finish,
  cancel,
  find,
  follow,
}: ValidationJobRunPorts) {
  return {
    async startValidationJob({ params: { accountId, job_id: jobId }, query }, context) {
      const key = readRequestKey(startValidationJob, accountId, { jobId, ...query }, context);
      const requestId = key ? null : publicRequestId(context);
      const outcome = await start({ accountId, jobId, requestId, key, creditsMax: query.credits_max });
      if (outcome.kind === 'tooFewCredits') {
        const { required, available } = outcome;
        throw new Problem('credits_exhausted', {
          detail: `Credits that the job needs: ${required}; available: ${available}.`,
          extra: { required, available },
        });
      }
      if (outcome.kind === 'simulated') {
        throw simulatedProblem(outcome.code, outcome.addresses * prices.validation);
      }
      if (outcome.kind !== 'started' && outcome.kind !== 'repeated') {
        throw new Problem(startProblems[outcome.kind]);
      }
      return foundJob(find, accountId, jobId);
    },

    pauseValidationJob: ({ params }) => steered(pause, find, params.accountId, params.job_id),

    resumeValidationJob: ({ params }) => steered(resume, find, params.accountId, params.job_id),

    finishValidationJob: ({ params }) => steered(finish, find, params.accountId, params.job_id),

    cancelValidationJob: ({ params }) => steered(cancel, find, params.accountId, params.job_id),

    async followValidationJob({ params: { accountId, job_id: jobId } }, context) {
      await foundJob(find, accountId, jobId);
      return follow(accountId, context, {
        find: () => find(accountId, jobId),
        hasEnded,
        event: 'job',
        answer: job => job,
      });
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}

export const startProblems = {
  notFound: 'job_not_found',
  notReady: 'job_not_ready',
  startedBefore: 'job_started',
  nothingToValidate: 'no_addresses_found',
  tooManyJobs: 'too_many_jobs',
  tooDear: 'price_above_limit',
  keyReused: 'idempotency_key_reused',
} as const;

async function steered(
  steer: Steer,
  find: FindJob,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<ValidationJob> {
  if ((await steer(accountId, jobId)) === 'notActive') {
    throw new Problem('job_not_under_way');
  }
  return foundJob(find, accountId, jobId);
}

/** Reads a job in the form that users see. */
export type FindJob = (accountId: AccountId, jobId: ValidationJobId) => Promise<ValidationJob | undefined>;

/** @throws Problem `job_not_found` */
export async function foundJob(
  find: FindJob,
  accountId: AccountId,
  jobId: ValidationJobId,
): Promise<ValidationJob> {
  const job = await find(accountId, jobId);
  if (!job) {
    throw new Problem('job_not_found');
  }
  return job;
}
