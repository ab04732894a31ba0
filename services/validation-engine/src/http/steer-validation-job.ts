import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import {
  type AccountId,
  type cancelValidationJob,
  forwarded,
  type pauseValidationJob,
  type resumeValidationJob,
  type ValidationJobId,
} from '@mailproof/shared-types';
import type { SteerOutcome } from '../domain/job-runs/pause-job.ts';
import { type FindJob, foundJob } from './found-job.ts';

type Steering = typeof pauseValidationJob | typeof resumeValidationJob | typeof cancelValidationJob;

/** Pausing, resuming and cancelling, which differ in nothing but what they do. */
export function steerValidationJobRoute(
  operation: Steering,
  guard: Guard<unknown>,
  steer: (accountId: AccountId, jobId: ValidationJobId) => Promise<SteerOutcome>,
  find: FindJob,
): Route {
  return route(forwarded(operation), guard, async ({ params: { accountId, job_id: jobId } }) => {
    if ((await steer(accountId, jobId)) === 'notUnderWay') {
      throw new Problem('job_not_under_way');
    }
    return foundJob(find, accountId, jobId);
  });
}
