import { Problem } from '@mailproof/service-kit';
import type { ProblemCode } from '@mailproof/shared-types';
import { CrmFault, type CrmFaultKind } from '../domain/crm/crm.ts';

const problems = {
  throttled: 'crm_busy',
  exhausted: 'crm_busy',
  away: 'crm_unavailable',
  revoked: 'crm_access_revoked',
  not_permitted: 'crm_not_permitted',
  not_found: 'crm_refused',
  refused: 'crm_refused',
} as const satisfies Record<CrmFaultKind, ProblemCode>;

/** The retry delay, in seconds, if a CRM does not name one. */
const waitSecondsDefault = 10;

/** Returns the result, or throws the problem for the CRM's fault. */
export async function orCrmProblem<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CrmFault) {
      throw crmProblem(error);
    }
    throw isTimeOver(error) ? crmProblem(new CrmFault('away')) : error;
  }
}

export function crmProblem(fault: CrmFault): Problem {
  const code = problems[fault.kind];
  const isPassing = code === 'crm_busy' || code === 'crm_unavailable';
  return new Problem(code, {
    cause: fault,
    // Our advice for an administrator of the CRM; it contains no text from the CRM.
    ...(fault.advice !== null && { detail: fault.advice }),
    ...(isPassing && { headers: { 'retry-after': waitSecondsOf(fault.waitMs) } }),
  });
}

/** Whether the CRM took longer than its caller waits. */
function isTimeOver(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

export function waitSecondsOf(waitMs: number | null): string {
  return String(waitMs === null ? waitSecondsDefault : Math.max(1, Math.ceil(waitMs / 1_000)));
}
