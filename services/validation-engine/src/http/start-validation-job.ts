import {
  type Guard,
  Problem,
  publicRequestId,
  type Route,
  readRequestKey,
  route,
} from '@mailproof/service-kit';
import { forwarded, startValidationJob } from '@mailproof/shared-types';
import type { StartJobOutcome, StartJobRequest } from '../domain/job-runs/start-job.ts';
import { type FindJob, foundJob } from './found-job.ts';

const operation = forwarded(startValidationJob);

export function startValidationJobRoute(
  guard: Guard<unknown>,
  start: (request: StartJobRequest) => Promise<StartJobOutcome>,
  find: FindJob,
): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId } }, context) => {
    const key = readRequestKey(startValidationJob, accountId, { jobId }, context);
    const requestId = key ? null : publicRequestId(context);
    const outcome = await start({ accountId, jobId, requestId, key });
    if (outcome.kind === 'tooFewCredits') {
      const { required, available } = outcome;
      throw new Problem('credits_exhausted', {
        detail: `Credits that the job needs: ${required}; available: ${available}.`,
        extra: { required, available },
      });
    }
    if (outcome.kind !== 'started' && outcome.kind !== 'repeated') {
      throw new Problem(startProblems[outcome.kind]);
    }
    return foundJob(find, accountId, jobId);
  });
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
