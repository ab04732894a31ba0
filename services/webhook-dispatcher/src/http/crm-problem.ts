import { Problem } from '@mailproof/service-kit';
import type { ProblemCode } from '@mailproof/shared-types';
import { CrmFault, type CrmFaultKind } from '../domain/crm/crm-fault.ts';

const problems = {
  throttled: 'crm_busy',
  exhausted: 'crm_busy',
  away: 'crm_unavailable',
  revoked: 'crm_access_revoked',
  not_permitted: 'crm_not_permitted',
  not_found: 'crm_refused',
  refused: 'crm_refused',
} as const satisfies Record<CrmFaultKind, ProblemCode>;

/** When to ask again, in seconds, of a CRM that says nothing. */
const waitSecondsDefault = 10;

/** What a CRM was asked for, or the problem that says why it did not do it. */
export async function orCrmProblem<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof CrmFault ? crmProblem(error) : error;
  }
}

export function crmProblem(fault: CrmFault): Problem {
  const code = problems[fault.kind];
  const isPassing = code === 'crm_busy' || code === 'crm_unavailable';
  return new Problem(code, {
    cause: fault,
    ...(isPassing && { headers: { 'retry-after': waitSecondsOf(fault.waitMs) } }),
  });
}

export function waitSecondsOf(waitMs: number | null): string {
  return String(waitMs === null ? waitSecondsDefault : Math.max(1, Math.ceil(waitMs / 1_000)));
}
