import { getValidationJob, toolEnvelope } from '@mailproof/shared-types';
import { z } from 'zod';
import { jobIdInput } from './list-results.ts';
import { linksOfList, listStatusData, listStatusOf } from './list-validation.ts';
import { askInEither } from './sandbox.ts';
import { defineTool } from './tool.ts';

export const svcGetListValidation = defineTool({
  name: 'svc_get_list_validation',
  title: 'See the price, progress or outcome of a list',
  description:
    'Returns a list of the account: its price before it is started (`data.cost_max`), its progress while it is validated, then the number of rows by result and the credits spent. `data.next_step` says what to do, and how long to wait before you call again. Free and read-only.',
  input: z.strictObject({ job_id: jobIdInput }),
  output: toolEnvelope(listStatusData),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  creditsMax: () => 0,
  scope: 'lists.run',
  linksOf: linksOfList,
  async handle({ job_id }, ask) {
    const answer = await askInEither(ask, getValidationJob, { params: { job_id } });
    return { data: listStatusOf(answer), creditsConsumed: 0, answer };
  },
});
