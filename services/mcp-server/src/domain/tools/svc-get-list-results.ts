import { limits, toolEnvelope, validationResults } from '@mailproof/shared-types';
import { z } from 'zod';
import { jobIdInput, listResultsData, readListResults, resultRowsMax, resultsLink } from './list-results.ts';
import { defineTool } from './tool.ts';

export const svcGetListResults = defineTool({
  name: 'svc_get_list_results',
  title: 'Read the results of a list',
  description: `Returns a page of a list’s rows with their results, at most ${resultRowsMax}, in the order of the list. Read further pages only if you need them: svc_get_list_validation has the number of rows by result, and \`result\` selects, for example, only the \`invalid\` rows. For a whole long list, tell the user to download it in the Mailproof application. Free and read-only.`,
  input: z.strictObject({
    job_id: jobIdInput,
    first_row: z
      .int()
      .min(1)
      .max(limits.jobRowsMax)
      .default(1)
      .describe('The row to begin with: 1, or `next_row` of the previous page.'),
    rows_max: z.int().min(1).max(resultRowsMax).default(50),
    result: z.enum(validationResults).optional().describe('Only rows with this result.'),
  }),
  output: toolEnvelope(listResultsData),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  creditsMax: () => 0,
  scope: 'lists.run',
  linksOf(data) {
    const { job_id: jobId, next_row: firstRow, result } = listResultsData.parse(data);
    return firstRow === null ? [] : [resultsLink({ jobId, firstRow, result: result ?? undefined })];
  },
  async handle({ job_id: jobId, first_row: firstRow, rows_max: rowsMax, result }, ask) {
    const { answer, data } = await readListResults(ask, { jobId, firstRow, rowsMax, result });
    return { data, creditsConsumed: 0, answer };
  },
});
