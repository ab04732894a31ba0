import { prices, toolEnvelope, validateEmailData, validateSingleEmail } from '@mailproof/shared-types';
import { z } from 'zod';
import { readAnswer } from './read-answer.ts';
import { defineTool } from './tool.ts';

/**
 * Longer than any address, including white space around it; the REST interface decides whether the address is valid.
 */
export const emailCharactersMax = 1_000;

export const svcValidateEmail = defineTool({
  name: 'svc_validate_email',
  title: 'Validate an email address',
  description: `Checks whether mail to one email address would arrive, without sending any. Use it before the user sends mail to an address, or when the user asks whether an address works; call it once per address. \`result\` is \`ok\` or \`catch_all_validated\` (safe to send to), \`catch_all\` (the domain accepts every address and this one could not be confirmed), \`invalid\` (mail will not arrive) or \`unknown\` (inconclusive; say so, and do not call it invalid). Costs ${prices.validation} credit of the user’s account; \`unknown\` and failures are free. Takes up to 30 seconds.`,
  input: z.strictObject({
    email: z
      .string()
      .min(1)
      .max(emailCharactersMax)
      .describe('The email address to validate, for example ada@example.com.'),
  }),
  output: toolEnvelope(validateEmailData),
  annotations: {
    // A call spends a credit, so it is not read-only, and a second call spends another.
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  creditsMax: () => prices.validation,
  waitingMessage: 'The mail server has not responded yet.',
  scope: 'validation.run',
  async handle({ email }, ask) {
    const answer = await ask(validateSingleEmail, { body: { email } });
    const data = readAnswer(validateEmailData, answer);
    const charged = data.credits_consumed;
    return {
      data,
      creditsConsumed: charged === undefined ? null : charged ? prices.validation : 0,
      answer,
    };
  },
});
