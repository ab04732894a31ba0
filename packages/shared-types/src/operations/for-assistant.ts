import { z } from 'zod';
import { accountId, userId } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { opensByKey, withKey } from './with-key.ts';

/** The owner of a tool server's request: the user who connected the assistant, and the user's account. */
export const assistantOwner = z.strictObject({ accountId, userId });

export type AssistantOwner = z.output<typeof assistantOwner>;

/**
 * The internal counterpart of an operation of the REST API, for the tool server only (ADR 0026): the same method,
 * query, body, answer, headers and price. The account and the user in the path, with the tool server's token, replace
 * the API key. For an operation of the application, this is the form that an API key opens.
 *
 * @throws Error if the operation does not accept an API key
 */
export function forAssistant(operation: Operation): Operation {
  const rest = opensByKey(operation) ? withKey(operation) : operation;
  const { access, path, params, problems } = rest;
  if (access.kind !== 'apiKey' || !(params instanceof z.ZodObject)) {
    throw new Error(`The operation ${operation.id} does not accept an API key.`);
  }
  return {
    ...rest,
    path: `/internal/v1/accounts/:accountId/users/:userId${path}`,
    access: { kind: 'service', callers: ['mcp-server'] },
    params: params.extend(assistantOwner.shape),
    problems: [...problems, 'assistant_refused'],
  };
}
