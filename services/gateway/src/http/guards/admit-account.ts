import { countRequest, Problem, type RateWindows, retryAfter, secondsUntil } from '@mailproof/service-kit';
import { limits, type RateDecision } from '@mailproof/shared-types';
import type { Response } from 'express';
import type { Account } from '../../domain/accounts/account.ts';

/**
 * Counts a request of an account in its rate window, and sets the headers that say what is left. Throws `rate_limited`
 * beyond the limit, and `service_unavailable` when the request cannot be counted.
 */
export type AdmitAccount = (account: Account, response: Response) => Promise<void>;

/** One window for each account, both for requests with its API key and for those of its users' assistants. */
export function createAccountAdmission(rateLimiter: RateWindows): AdmitAccount {
  return async (account, response) => {
    response.locals['accountId'] = account.accountId;
    const decision = await countRequest(rateLimiter, response, {
      subject: account.accountId,
      limit: account.requestsPerSecond,
      windowMs: limits.rateWindowMs,
    });
    setRateHeaders(response, decision);
    if (!decision.admitted) {
      throw new Problem('rate_limited', {
        detail: `The account may make ${decision.limit} requests in any one second.`,
        headers: retryAfter(decision.resetInMs),
      });
    }
  };
}

function setRateHeaders(response: Response, decision: RateDecision): void {
  response.setHeader('x-ratelimit-limit', decision.limit);
  response.setHeader('x-ratelimit-remaining', decision.remaining);
  response.setHeader('x-ratelimit-reset', decision.resetAtMs);
  // The same in the form of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10): seconds, relative.
  response.setHeader('ratelimit-policy', `"account";q=${decision.limit};w=${limits.rateWindowMs / 1_000}`);
  response.setHeader('ratelimit', `"account";r=${decision.remaining};t=${secondsUntil(decision.resetInMs)}`);
}
