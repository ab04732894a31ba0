import { prices, startValidationJob, toolEnvelope } from '@mailproof/shared-types';
import { z } from 'zod';
import { jobIdInput } from './list-results.ts';
import { linksOfList, listStatusData, listStatusOf } from './list-validation.ts';
import { askInEither } from './sandbox.ts';
import { defineTool } from './tool.ts';

export const svcStartListValidation = defineTool({
  name: 'svc_start_list_validation',
  title: 'Validate a list of addresses',
  description: `Starts the validation of a list and spends credits: ${prices.validation} for each distinct address with a result other than \`unknown\`, and never more than \`max_credits\`. Call it only after the user has agreed to the price, which is \`cost_max\` of svc_prepare_list_validation or svc_get_list_validation. A list that costs more than \`max_credits\` is not started, and nothing is charged. The credits are reserved at once; those that are not needed are returned at the end. Repeating the call charges nothing more. The validation continues in the background: follow it with svc_get_list_validation.`,
  input: z.strictObject({
    job_id: jobIdInput,
    max_credits: z
      .int()
      .nonnegative()
      .describe('The most credits that the user has agreed to spend on this list.'),
  }),
  output: toolEnvelope(listStatusData),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  creditsMax: input => input.max_credits,
  repeatOf: input => input,
  scope: 'lists.run',
  linksOf: linksOfList,
  async handle({ job_id, max_credits: creditsMax }, ask) {
    const request = { params: { job_id }, query: { credits_max: creditsMax } };
    const answer = await askInEither(ask, startValidationJob, request);
    const data = listStatusOf(answer);
    // An earlier call has started a list that has ended.
    return { data, creditsConsumed: data.spent === null ? null : 0, answer };
  },
});
