import { publicRequestId, type RequestContext, unavailable } from '@mailproof/service-kit';
import type { ValidationJob } from '@mailproof/shared-types';
import type { JobRequest, TakeJobIn } from '../domain/intake/take-job-in.ts';
import { orIntakeProblem } from './intake-problem.ts';
import { jobAnswer } from './job-answer.ts';

/** Takes a job in and answers it. */
export async function takenIn(
  take: TakeJobIn,
  request: Omit<JobRequest, 'requestId'>,
  context: Pick<RequestContext<unknown>, 'header' | 'requestId'>,
): Promise<ValidationJob> {
  const taken = await orIntakeProblem(take({ ...request, requestId: publicRequestId(context) }));
  if (taken === 'turned_away') {
    throw unavailable('Too many files are coming in at this moment.');
  }
  return jobAnswer(taken);
}
