import { type Guard, type Route, route, unavailable } from '@mailproof/service-kit';
import { validateAddress } from '@mailproof/shared-types';
import type { Admission } from '../domain/admission.ts';
import type { Answer, AnswerRequest } from '../domain/answer-address.ts';
import type { Events } from '../events.ts';

export function validateAddressRoute(
  guard: Guard<unknown>,
  answer: (request: AnswerRequest) => Promise<Answer>,
  admit: Admission,
  events: Events,
): Route {
  return route(validateAddress, guard, async ({ body }, { requestId, signal }) => {
    const admitted = await admit(() => answer({ ...body, signal }));
    if (admitted.kind === 'turned_away') {
      events.validationTurnedAway(requestId);
      throw unavailable('Too many validations are under way.');
    }
    events.addressAnswered(requestId, admitted.result);
    if (admitted.result.verdict.reason === 'harvest_suspected') {
      events.harvestSuspected(requestId, body.accountId);
    }
    return admitted.result.verdict;
  });
}
