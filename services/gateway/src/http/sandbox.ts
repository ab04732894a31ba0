import { type Handler, Problem, simulatedProblem } from '@mailproof/service-kit';
import {
  type EmailAddress,
  findInSandbox,
  type Operation,
  type OperationInput,
  prices,
  sandboxAddressesText,
  sandboxVerdict,
  type Verdict,
} from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import type { ProgramCaller } from './guards/gateway-callers.ts';

/**
 * Answers requests with a test key from the sandbox, and all others with the operation's own handler. An assistant has
 * no test key, so it gets the sandbox's answer to a request that is about the sandbox. A live key does not: it may guard
 * a form, and anyone could type an address there that does not exist and is `ok` (ADR 0073).
 */
export function withSandbox<Op extends Operation>(
  handle: Handler<Op, Account>,
  sandbox: Handler<Op, ProgramCaller>,
  isAboutSandbox: (input: OperationInput<Op>) => boolean,
): Handler<Op, ProgramCaller> {
  return (input, context) => {
    const { isTest, isAssistant } = context.caller;
    return isTest || (isAssistant && isAboutSandbox(input))
      ? sandbox(input, context)
      : handle(input, context);
  };
}

/**
 * The verdict on an address of the sandbox: free, and the same each time.
 *
 * @throws Problem for an address of an error, marked as simulated, and for every address outside of the sandbox
 */
export function verdictInSandbox(email: EmailAddress): Verdict {
  const entry = findInSandbox(email);
  if (!entry) {
    throw new Problem('not_a_sandbox_address', { detail: sandboxAddressesText });
  }
  if (entry.kind === 'problem') {
    throw simulatedProblem(entry.code, prices.validation);
  }
  return sandboxVerdict(entry, email);
}
