import { accountStatusData, getMe, toolEnvelope } from '@mailproof/shared-types';
import { z } from 'zod';
import { readAnswer } from './read-answer.ts';
import { defineTool } from './tool.ts';

export const svcGetAccountStatus = defineTool({
  name: 'svc_get_account_status',
  title: 'Get the account’s credits and rate limit',
  description:
    'Returns the user’s remaining credits (`data.credits`) and rate limit (`usage`). Use it when the user asks about credits, or before you validate several addresses. Free and read-only.',
  input: z.strictObject({}),
  output: toolEnvelope(accountStatusData),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  creditsMax: () => 0,
  scope: 'account.read',
  async handle(_input, ask) {
    const answer = await ask(getMe);
    return { data: readAnswer(accountStatusData, answer), creditsConsumed: null, answer };
  },
});
