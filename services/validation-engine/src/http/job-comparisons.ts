import { type Handlers, Problem } from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import {
  type ChangesPage,
  type ChangesWanted,
  type ComparedJobs,
  type Comparisons,
  changesCsv,
  comparisonOf,
} from '../domain/intake/comparison.ts';

/** Handlers that compare the results of two jobs. */
export function jobComparisonHandlers(comparisons: Comparisons) {
  async function pageOf(jobs: ComparedJobs, wanted: ChangesWanted): Promise<ChangesPage> {
    const page = await comparisons.page(jobs, wanted);
    if (!page) {
      throw new Problem('job_not_found');
    }
    return page;
  }
  return {
    async compareValidationJobs({ params: { accountId, job_id }, query }) {
      const groups = await comparisons.groups({ accountId, jobId: job_id, earlierId: query.earlier_job_id });
      if (!groups) {
        throw new Problem('job_not_found');
      }
      return { job_id, earlier_job_id: query.earlier_job_id, ...comparisonOf(groups) };
    },

    async listChangedAddresses({ params: { accountId, job_id: jobId }, query }) {
      const page = await pageOf({ accountId, jobId, earlierId: query.earlier_job_id }, query);
      return { addresses: [...page.addresses], next_cursor: page.nextCursor };
    },

    async downloadChangedAddresses({ params: { accountId, job_id: jobId }, query }, { setHeader }) {
      const jobs = { accountId, jobId, earlierId: query.earlier_job_id };
      const read = (cursor?: string) =>
        pageOf(jobs, { from: query.from, to: query.to, cursor, limit: limits.pageRowsMax });
      // Reads the first page here, so that a refusal becomes a problem response. If a job is deleted later, the
      // download breaks off, so that no client takes a part for the whole.
      const first = await read();
      setHeader('content-disposition', 'attachment; filename="changed-addresses.csv"');
      return changesCsv(first, read);
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}
