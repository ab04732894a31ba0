import { type Handler, Problem, simulatedProblem } from '@mailproof/service-kit';
import {
  type EmailAddress,
  findInSandbox,
  type Operation,
  prices,
  sandboxAddressesText,
  sandboxCredits,
  sandboxVerdict,
} from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import type { ValidationOutcome } from '../domain/charging/validate-single-email.ts';
import type { ProgramCaller } from './guards/gateway-callers.ts';

/** Answers requests with a test key from the sandbox, and all others with the operation's own handler. */
export function withSandbox<Op extends Operation>(
  handle: Handler<Op, Account>,
  sandbox: Handler<Op, ProgramCaller>,
): Handler<Op, ProgramCaller> {
  return (input, context) => (context.caller.isTest ? sandbox(input, context) : handle(input, context));
}

/**
 * The outcome of validating an address of the sandbox: free, and the same each time.
 *
 * @throws Problem for an address of an error, marked as simulated, and for every address outside of the sandbox
 */
export function validateInSandbox(email: EmailAddress): ValidationOutcome {
  const entry = findInSandbox(email);
  if (!entry) {
    throw new Problem('not_a_sandbox_address', { detail: sandboxAddressesText });
  }
  if (entry.kind === 'problem') {
    throw simulatedProblem(entry.code, prices.validation);
  }
  return { verdict: sandboxVerdict(entry, email), charged: false, creditsRemaining: sandboxCredits };
}
