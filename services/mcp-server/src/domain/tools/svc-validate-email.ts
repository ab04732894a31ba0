import { prices, toolEnvelope, validateEmailData, validateSingleEmail } from '@mailproof/shared-types';
import { z } from 'zod';
import { readAnswer } from './read-answer.ts';
import { defineTool } from './tool.ts';

/** Longer than any address can be, white space included; whether it is one is for the REST interface to say. */
const emailCharactersMax = 1_000;

export const svcValidateEmail = defineTool({
  name: 'svc_validate_email',
  title: 'Validate an email address',
  description: `Finds out whether mail to one email address would arrive, without sending any. Use it before the user sends mail to an address, or when the user asks whether an address works; call it once per address. \`result\` is \`ok\` or \`catch_all_validated\` (safe to send to), \`catch_all\` (the domain accepts everything and this address could not be confirmed), \`invalid\` (mail will not arrive) or \`unknown\` (could not be told now; say so, and do not call it invalid). Costs ${prices.validation} credit of the user’s account; \`unknown\` and failures cost nothing. Takes up to half a minute.`,
  input: z.strictObject({
    email: z
      .string()
      .min(1)
      .max(emailCharactersMax)
      .describe('The email address to validate, for example ada@example.com.'),
  }),
  output: toolEnvelope(validateEmailData),
  annotations: {
    // A call spends a credit, so it changes something, and a second one spends another.
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  spendsCredits: true,
  waitingMessage: 'The mail server has not answered yet.',
  scope: 'validation.run',
  async handle({ email }, ask) {
    const answer = await ask(validateSingleEmail, { email });
    const data = readAnswer(validateEmailData, answer);
    const charged = data.credits_consumed;
    return {
      data,
      creditsConsumed: charged === undefined ? null : charged ? prices.validation : 0,
      answer,
    };
  },
});
