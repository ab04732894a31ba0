import { type Guard, Problem, type Route, route, unavailable } from '@mailproof/service-kit';
import { recordDoNotProbeRequest } from '@mailproof/shared-types';
import type { Admission } from '../domain/admission.ts';
import type { DoNotProbeEntry } from '../domain/standing/do-not-probe.ts';
import type { DoNotProbeOutcome } from '../domain/standing/request-do-not-probe.ts';

export function recordDoNotProbeRequestRoute(
  guard: Guard<unknown>,
  request: (entry: DoNotProbeEntry, signal: AbortSignal) => Promise<DoNotProbeOutcome>,
  admit: Admission,
): Route {
  return route(recordDoNotProbeRequest, guard, async ({ body }, { signal }) => {
    const admitted = await admit(() => request(body, signal));
    if (admitted.kind === 'turned_away') {
      throw unavailable('Too many requests of this kind are under way.');
    }
    if (admitted.result.kind === 'not_registrable') {
      const detail = 'must be a domain that somebody can register, or a name below one';
      throw new Problem('invalid_request', { detail, extra: { errors: [{ pointer: '/name', detail }] } });
    }
    return admitted.result.recorded;
  });
}
