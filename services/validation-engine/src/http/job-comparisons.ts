import { type Handlers, Problem } from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { type Comparisons, changesCsv, comparisonOf } from '../domain/intake/comparison.ts';

/** Handlers that compare the results of two jobs. */
export function jobComparisonHandlers(comparisons: Comparisons) {
  return {
    async compareValidationJobs({ params: { accountId, job_id }, query }) {
      const groups = await comparisons.groups({ accountId, jobId: job_id, withId: query.with });
      if (!groups) {
        throw new Problem('job_not_found');
      }
      return { job_id, with_job_id: query.with, ...comparisonOf(groups) };
    },

    async listChangedAddresses({ params: { accountId, job_id: jobId }, query }) {
      const page = await comparisons.page({ accountId, jobId, withId: query.with }, query);
      if (!page) {
        throw new Problem('job_not_found');
      }
      return { addresses: [...page.addresses], next_cursor: page.nextCursor };
    },

    async downloadChangedAddresses({ params: { accountId, job_id: jobId }, query }, { setHeader }) {
      const jobs = { accountId, jobId, withId: query.with };
      const read = (cursor?: string) =>
        comparisons.page(jobs, { from: query.from, to: query.to, cursor, limit: limits.pageRowsMax });
      // Reads the first page here, so that a refusal becomes a problem response.
      const first = await read();
      if (!first) {
        throw new Problem('job_not_found');
      }
      setHeader('content-disposition', 'attachment; filename="changed-addresses.csv"');
      return changesCsv(first, read);
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}
