import { type Operation, sandboxDomain, validationJobId } from '@mailproof/shared-types';
import type { AskAsAccount, AskedRequest, RestAnswer } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

export const jobIdInput = validationJobId.describe(
  'The id of the list, from svc_prepare_list_validation or from the Mailproof application.',
);

/** Whether a list is for the sandbox, which refuses lists that also have other addresses (ADR 0073). */
export function isForSandbox(addresses: readonly string[]): boolean {
  return addresses.some(address => address.trim().toLowerCase().endsWith(`@${sandboxDomain}`));
}

/** Asks about a list of the account, or of its sandbox: an id does not tell which. */
export async function askAboutList(
  ask: AskAsAccount,
  operation: Operation,
  request: AskedRequest,
): Promise<RestAnswer> {
  try {
    return await ask(operation, request);
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'job_not_found') {
      return ask(operation, { ...request, inSandbox: true });
    }
    throw error;
  }
}
