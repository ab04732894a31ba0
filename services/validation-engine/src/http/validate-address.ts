import { type Guard, type Route, route, unavailable } from '@mailproof/service-kit';
import { type EmailAddress, validateAddress } from '@mailproof/shared-types';
import type { Admission } from '../domain/admission.ts';
import type { Validation } from '../domain/validate-address.ts';
import type { Events } from '../events.ts';

/** Validates within the caller's time, cut to the operator's. */
export type Validate = (email: EmailAddress, deadlineMs: number, signal: AbortSignal) => Promise<Validation>;

export function validateAddressRoute(
  guard: Guard<unknown>,
  validate: Validate,
  admit: Admission,
  events: Events,
): Route {
  return route(validateAddress, guard, async ({ body }, { requestId, signal }) => {
    const admitted = await admit(() => validate(body.email, body.deadlineMs, signal));
    if (admitted.kind === 'turned_away') {
      events.validationTurnedAway(requestId);
      throw unavailable('Too many validations are under way.');
    }
    events.addressValidated(requestId, admitted.result);
    return admitted.result.verdict;
  });
}
