import { Problem } from '@mailproof/service-kit';
import type { AccountId, ValidationJob, ValidationJobId } from '@mailproof/shared-types';

/** Reads a job as people see it. */
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
