import { type Handler, Problem, retryAfter } from '@mailproof/service-kit';
import { type EmailAddress, type Operation, prices, problemKinds } from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import type { ValidationOutcome } from '../domain/charging/validate-single-email.ts';
import {
  findInSandbox,
  sandboxCredits,
  sandboxDomain,
  sandboxEntries,
  sandboxVerdict,
} from '../domain/sandbox/sandbox.ts';
import type { ProgramCaller } from './guards/gateway-callers.ts';

/** Answers requests with a test key from the sandbox, and all others with the operation's own handler. */
export function withSandbox<Op extends Operation>(
  handle: Handler<Op, Account>,
  sandbox: Handler<Op, ProgramCaller>,
): Handler<Op, ProgramCaller> {
  return (input, context) => (context.caller.isTest ? sandbox(input, context) : handle(input, context));
}

const retryAfterMs = 1_000;

/**
 * The outcome of validating an address of the sandbox: free, and the same each time.
 *
 * @throws Problem for an address of an error, marked as simulated, and for every address outside of the sandbox
 */
export function validateInSandbox(email: EmailAddress): ValidationOutcome {
  const entry = findInSandbox(email);
  if (!entry) {
    const names = [...sandboxEntries.keys()].join(', ');
    throw new Problem('not_a_sandbox_address', {
      detail: `A test key validates only these names, followed by @${sandboxDomain}: ${names}.`,
    });
  }
  if (entry.kind === 'verdict') {
    return { verdict: sandboxVerdict(entry, email), charged: false, creditsRemaining: sandboxCredits };
  }
  const { status } = problemKinds[entry.code];
  throw new Problem(entry.code, {
    detail: 'The sandbox simulates this error.',
    isSimulated: true,
    ...(entry.code === 'credits_exhausted' && { extra: { required: prices.validation, available: 0 } }),
    ...((status === 429 || status === 503) && { headers: retryAfter(retryAfterMs) }),
  });
}
