import type { Guard, Route } from '@mailproof/service-kit';
import { checkAddress } from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import { type ChargingRouteOptions, chargingRoute } from './charging-route.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { answerOf, type Validate } from './validate-single-email.ts';

/** The validation of one address for a person who has signed in: charged through the same door (ADR 0044). */
export function checkAddressRoute(
  guardOf: SessionGuard,
  options: Omit<ChargingRouteOptions, 'guard'>,
  validate: Validate,
): Route {
  const charging = { ...options, guard: payingFor(guardOf) };
  return chargingRoute(checkAddress, charging, async ({ body: { email } }, { caller, runId, signal }) => {
    const { accountId } = caller;
    const outcome = await validate({ accountId, runId, cause: checkAddress.id, email, signal });
    const details = outcome.verdict.details;
    return { ...outcome, result: { ...answerOf(email.input, outcome), details } };
  });
}

/** Who pays is the account of whoever has signed in. */
function payingFor(guardOf: SessionGuard): Guard<Account> {
  const guard = guardOf(checkAddress);
  return async (request, response) => (await guard(request, response)).account;
}
