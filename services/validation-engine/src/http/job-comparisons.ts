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
      const groups = await comparisons.groups({ accountId, jobId: job_id, withId: query.with });
      if (!groups) {
        throw new Problem('job_not_found');
      }
      return { job_id, with_job_id: query.with, ...comparisonOf(groups) };
    },

    async listChangedAddresses({ params: { accountId, job_id: jobId }, query }) {
      const page = await pageOf({ accountId, jobId, withId: query.with }, query);
      return { addresses: [...page.addresses], next_cursor: page.nextCursor };
    },

    async downloadChangedAddresses({ params: { accountId, job_id: jobId }, query }, { setHeader }) {
      const jobs = { accountId, jobId, withId: query.with };
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
