import { type Handlers, Problem, unavailable } from '@mailproof/service-kit';
import type { Admission } from '../domain/concurrency/in-flight.ts';
import type { DoNotProbeEntry } from '../domain/standing/do-not-probe.ts';
import type { DoNotProbeOutcome } from '../domain/standing/request-do-not-probe.ts';
import type { Answer, AnswerRequest } from '../domain/validation/answer-address.ts';
import type { Events } from '../events.ts';

export interface AddressPorts {
  readonly answer: (request: AnswerRequest) => Promise<Answer>;
  readonly admitAnswer: Admission;
  readonly request: (entry: DoNotProbeEntry, signal: AbortSignal) => Promise<DoNotProbeOutcome>;
  readonly admitRequest: Admission;
  readonly events: Events;
}

/** Handlers for single addresses, and for domains that ask not to be probed. */
export function addressHandlers({ answer, admitAnswer, request, admitRequest, events }: AddressPorts) {
  return {
    async validateAddress({ body }, { requestId, signal }) {
      const admitted = await admitAnswer(() => answer({ ...body, signal }));
      if (admitted.kind === 'turned_away') {
        events.validationTurnedAway(requestId);
        throw unavailable('Too many validations are in progress.');
      }
      events.addressAnswered(requestId, admitted.result);
      if (admitted.result.verdict.reason === 'harvest_suspected') {
        events.harvestSuspected(requestId, body.accountId);
      }
      return admitted.result.verdict;
    },

    async recordDoNotProbeRequest({ body }, { signal }) {
      const admitted = await admitRequest(() => request(body, signal));
      if (admitted.kind === 'turned_away') {
        throw unavailable('Too many requests of this kind are in progress.');
      }
      if (admitted.result.kind === 'not_registrable') {
        const detail = 'must be a registrable domain, or a name below one';
        throw new Problem('invalid_request', { detail, extra: { errors: [{ pointer: '/name', detail }] } });
      }
      return admitted.result.recorded;
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}
