import { createValidationJob, prices, toolEnvelope } from '@mailproof/shared-types';
import { z } from 'zod';
import { listStatusData, listStatusOf } from './list-validation.ts';
import { isListForSandbox } from './sandbox.ts';
import { emailCharactersMax } from './svc-validate-email.ts';
import { defineTool } from './tool.ts';

/** Most addresses in one call; the whole message has its own limit. */
const addressesMax = 500;

export const svcPrepareListValidation = defineTool({
  name: 'svc_prepare_list_validation',
  title: 'Upload a list of addresses and see its price',
  description: `Uploads up to ${addressesMax} email addresses as one list and returns what validating it costs at most (\`data.cost_max\`: ${prices.validation} credit for each distinct address, nothing for \`unknown\`). Free: nothing is validated or charged before svc_start_list_validation. Use it for more than a few addresses, instead of svc_validate_email for each. Tell the user the price and wait for a yes before you start the list. For a longer list or a file, ask the user to upload it in the Mailproof application under Validate lists, or to send it to the REST API (POST /api/v1/validation-jobs); you can then continue with its \`job_id\`.`,
  input: z.strictObject({
    addresses: z
      .array(z.string().min(1).max(emailCharactersMax))
      .min(1)
      .max(addressesMax)
      .describe('One address each, in the order in which you want the results.'),
    name: createValidationJob.query.shape.name.describe(
      'A name for the list, which people see in Mailproof.',
    ),
  }),
  output: toolEnvelope(listStatusData),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    // Each call makes a list, free of charge.
    idempotentHint: false,
    openWorldHint: false,
  },
  creditsMax: () => 0,
  scope: 'lists.run',
  async handle({ addresses, name = 'From an assistant' }, ask) {
    const answer = await ask(createValidationJob, {
      query: { name },
      body: addresses,
      inSandbox: isListForSandbox(addresses),
    });
    return { data: listStatusOf(answer), creditsConsumed: 0, answer };
  },
});
