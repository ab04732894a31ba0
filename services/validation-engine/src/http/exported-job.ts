import { Problem } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { ExportedJob, ExportedJobs, JobSource } from '../domain/exported/exported-job.ts';

const rowNumber = /^[1-9]\d{0,8}$/;

/** The job of a source, or the problem that there is none to export. */
export async function findExportedJob(
  jobs: Pick<ExportedJobs, 'find'>,
  accountId: AccountId,
  { job_id: jobId }: JobSource,
): Promise<ExportedJob> {
  const job = await jobs.find(accountId, jobId);
  if (job === undefined) {
    throw new Problem('export_source_not_found');
  }
  if (job === 'notEnded') {
    throw new Problem('export_source_not_ready');
  }
  return job;
}

/** A row of a job is known by its number. */
export function rowNoOf(key: string): number {
  if (!rowNumber.test(key)) {
    throw new Problem('invalid_request', { detail: 'There is a key that no row of this source has.' });
  }
  return Number(key);
}
