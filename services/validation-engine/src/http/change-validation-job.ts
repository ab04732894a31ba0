import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { changeValidationJob, forwarded } from '@mailproof/shared-types';
import type { ChangeJob } from '../domain/intake/change-job.ts';
import { orIntakeProblem } from './intake-problem.ts';
import { jobAnswer } from './job-answer.ts';

const operation = forwarded(changeValidationJob);

export function changeValidationJobRoute(guard: Guard<unknown>, change: ChangeJob): Route {
  return route(operation, guard, async ({ params: { accountId, job_id: jobId }, body }) => {
    const { name, address_column: addressColumn, has_header: hasHeader } = body;
    const changed = await orIntakeProblem(
      change(accountId, jobId, {
        ...(name !== undefined && { name }),
        ...(addressColumn !== undefined && { addressColumn }),
        ...(hasHeader !== undefined && { hasHeader }),
      }),
    );
    if (changed === 'not_found') {
      throw new Problem('job_not_found');
    }
    if (changed === 'started') {
      throw new Problem('job_started');
    }
    return jobAnswer(changed);
  });
}
