import {
  type EmailAddress,
  findInSandbox,
  isSandboxAccount,
  type ProblemCode,
  parseEmailAddress,
  sandboxDomain,
  sandboxVerdict,
} from '@mailproof/shared-types';
import type { Answer } from '../validation/answer-address.ts';
import type { FindMailHost } from './address-chunks.ts';
import type { JobRun } from './job-run.ts';
import type { JobAddresses } from './job-run-store.ts';
import type { ProbingPorts } from './probing.ts';

/** Answers about addresses of the sandbox, without a question to anyone, and about all others as before. */
export function withSandboxAnswers(answer: ProbingPorts<unknown>['answer']): ProbingPorts<unknown>['answer'] {
  return async request => (isSandboxAccount(request.accountId) ? answerOf(request.email) : answer(request));
}

function answerOf(email: EmailAddress): Answer {
  const entry = findInSandbox(email);
  if (entry?.kind !== 'verdict') {
    throw new Error('A job of the sandbox has an address without a verdict.');
  }
  return { verdict: sandboxVerdict(entry, email), validation: undefined, isFinal: true };
}

/** The domain of the sandbox can have no mail host (RFC 6761 section 6.2), so DNS is not asked about it. */
export function withoutSandboxHosts(findMailHost: FindMailHost): FindMailHost {
  return async (domain, signal) =>
    domain.ascii === sandboxDomain ? undefined : findMailHost(domain, signal);
}

/** The error with which the start of a job is answered: that of its first address that has one. */
export async function simulatedErrorOf(
  addresses: Pick<JobAddresses<never>, 'list'>,
  run: JobRun,
): Promise<ProblemCode | undefined> {
  if (!isSandboxAccount(run.accountId)) {
    return undefined;
  }
  for (const { email } of await addresses.list(run)) {
    const parsed = parseEmailAddress(email);
    const entry = parsed.ok ? findInSandbox(parsed.value) : undefined;
    if (entry?.kind === 'problem') {
      return entry.code;
    }
  }
  return undefined;
}
