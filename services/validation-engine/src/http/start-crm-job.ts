import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { startCrmJob } from '@mailproof/shared-types';
import type { StartJobOutcome, StartJobRequest } from '../domain/job-runs/start-job.ts';
import { type FindJob, foundJob } from './found-job.ts';
import { startProblems } from './start-validation-job.ts';

export function startCrmJobRoute(
  guard: Guard<unknown>,
  start: (request: StartJobRequest) => Promise<StartJobOutcome>,
  find: FindJob,
): Route {
  return route(startCrmJob, guard, async ({ params: { accountId, jobId }, body }) => {
    const { request_id: requestId, credits_max: creditsMax } = body;
    const outcome = await start({ accountId, jobId, requestId, key: null, creditsMax });
    if (outcome.kind === 'tooFewCredits') {
      const { required, available } = outcome;
      throw new Problem('credits_exhausted', { extra: { required, available } });
    }
    // Whoever asks again after a lost answer finds it started.
    if (outcome.kind !== 'started' && outcome.kind !== 'repeated' && outcome.kind !== 'startedBefore') {
      throw new Problem(startProblems[outcome.kind]);
    }
    return foundJob(find, accountId, jobId);
  });
}
