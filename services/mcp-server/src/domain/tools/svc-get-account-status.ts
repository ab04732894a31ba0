import { accountStatusData, getMe, toolEnvelope } from '@mailproof/shared-types';
import { z } from 'zod';
import { readAnswer } from './read-answer.ts';
import { defineTool } from './tool.ts';

export const svcGetAccountStatus = defineTool({
  name: 'svc_get_account_status',
  title: 'Get the account’s credits and rate limit',
  description:
    'Tells how many credits the user’s account has left (`data.credits`) and how many requests it may still make in this second (`usage`). Use it when the user asks about credits, or before validating several addresses. Free; changes nothing.',
  input: z.strictObject({}),
  output: toolEnvelope(accountStatusData),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  spendsCredits: false,
  scope: 'account.read',
  async handle(_input, ask) {
    const answer = await ask(getMe);
    return { data: readAnswer(accountStatusData, answer), creditsConsumed: null, answer };
  },
});
