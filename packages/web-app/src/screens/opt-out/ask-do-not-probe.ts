import type { OperationInput, OperationResult, requestDoNotProbe } from '@mailproof/shared-types';
import { problemOf } from '../../api/problem.ts';

export type DoNotProbeWish = OperationInput<typeof requestDoNotProbe>['body'];
export type DoNotProbeAnswer = OperationResult<typeof requestDoNotProbe>;

const answerMsMax = 60_000;

/** Asks that a domain or a mail host is not probed. It is an operation of the public API, which needs no key. */
export async function askDoNotProbe(wish: DoNotProbeWish): Promise<DoNotProbeAnswer> {
  const response = await fetch('/api/v1/do-not-probe-requests', {
    signal: AbortSignal.timeout(answerMsMax),
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wish),
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as DoNotProbeAnswer;
}
