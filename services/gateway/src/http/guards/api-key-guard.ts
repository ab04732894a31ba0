import {
  type CountFailure,
  countRequest,
  type Guard,
  Problem,
  type RateWindows,
  retryAfter,
  type Sealer,
  secondsUntil,
  unavailable,
} from '@mailproof/service-kit';
import {
  keyScopeOf,
  limits,
  type Operation,
  type RateDecision,
  sandboxAccountOf,
  sandboxGaps,
} from '@mailproof/shared-types';
import type { Request, Response } from 'express';
import type { Account, KeyLookup, LookUpKey } from '../../domain/accounts/account.ts';
import { type ApiKey, parseApiKey } from '../../domain/keys/api-key.ts';
import { listCursorsOf } from '../page-cursors.ts';
import type { AccountGuard, ProgramCaller } from './gateway-callers.ts';

interface ApiKeyGuardOptions {
  readonly lookUpKey: LookUpKey;
  readonly admit: AdmitAccount;
  readonly countFailure: CountFailure;
}

/**
 * Admits requests with a valid key that has the operation's scope, within the account's rate. Each request counts,
 * regardless of its outcome; failed attempts count against their client address.
 */
export function createApiKeyGuard(
  options: ApiKeyGuardOptions,
): (operation: Operation) => Guard<ProgramCaller> {
  return operation => {
    const admit = admission(options, operation, operation.sandbox === true);
    return async (request, response) => {
      const { account, isTest } = await admit(request, response);
      return isTest ? { ...account, isTest } : account;
    };
  };
}

/**
 * Does the same for the application's operations that a key opens too (ADR 0067). A test key acts for the account's
 * sandbox (ADR 0073).
 */
export function createAccountKeyGuard(options: ApiKeyGuardOptions, cursorSealer: Sealer): AccountGuard {
  return operation => {
    const admit = admission(options, operation, operation.sandbox === true);
    return async (request, response) => {
      const { account: owner, apiKeyId, isTest } = await admit(request, response);
      const account = isTest ? { ...owner, accountId: sandboxAccountOf(owner.accountId) } : owner;
      return { account, userId: apiKeyId, cursors: listCursorsOf(cursorSealer, account, operation) };
    };
  };
}

function admission(
  options: ApiKeyGuardOptions,
  operation: Operation,
  admitsTestKeys: boolean,
): Guard<ActiveKey> {
  const scope = keyScopeOf(operation);
  if (scope === undefined) {
    throw new Error(`No API key opens the operation ${operation.id}.`);
  }
  return async (request, response) => {
    const active = await authenticate(options, request, response);
    await options.admit(active.account, response);
    if (active.isTest && !admitsTestKeys) {
      throw new Problem('live_key_required', {
        detail: sandboxGaps.get(operation.id) ?? 'It has no sandbox.',
      });
    }
    if (!active.scopes.includes(scope)) {
      throw new Problem('scope_required', {
        detail: `This operation needs a key with the scope ${scope}; this key has ${active.scopes.join(', ') || 'none'}.`,
        extra: { required_scope: scope },
      });
    }
    return active;
  };
}

type ActiveKey = Extract<KeyLookup, { kind: 'active' }>;

async function authenticate(
  options: ApiKeyGuardOptions,
  request: Request,
  response: Response,
): Promise<ActiveKey> {
  const text = request.get('x-api-key');
  if (text === undefined || text.trim() === '') {
    return refuse(options, request, response, 'missing_api_key');
  }
  const key = parseApiKey(text.trim());
  const lookup = key ? await lookUp(options.lookUpKey, key) : ({ kind: 'unknown' } as const);
  return lookup.kind === 'active' ? lookup : refuse(options, request, response, refusals[lookup.kind]);
}

const refusals = {
  unknown: 'invalid_api_key',
  revoked: 'revoked_api_key',
  expired: 'expired_api_key',
  planWithoutApiAccess: 'plan_without_api_access',
} as const;

async function lookUp(lookUpKey: LookUpKey, key: ApiKey) {
  try {
    return await lookUpKey(key);
  } catch (error) {
    throw unavailable('API keys cannot be checked right now.', error);
  }
}

async function refuse(
  options: ApiKeyGuardOptions,
  request: Request,
  response: Response,
  code: 'missing_api_key' | (typeof refusals)[keyof typeof refusals],
): Promise<never> {
  await options.countFailure(request, response);
  throw new Problem(code, {
    headers: { 'www-authenticate': 'ApiKey realm="Mailproof", header="X-Api-Key"' },
  });
}

/**
 * Counts a request of an account in its rate window, and sets the rate-limit headers. Throws `rate_limited` beyond the
 * limit, and `service_unavailable` when the request cannot be counted.
 */
export type AdmitAccount = (account: Account, response: Response) => Promise<void>;

/** One window per account, shared by requests with its API key and requests of its users' assistants. */
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
        detail: `The account can make ${decision.limit} requests per second.`,
        headers: retryAfter(decision.resetInMs),
      });
    }
  };
}

function setRateHeaders(response: Response, decision: RateDecision): void {
  response.setHeader('x-ratelimit-limit', decision.limit);
  response.setHeader('x-ratelimit-remaining', decision.remaining);
  response.setHeader('x-ratelimit-reset', decision.resetAtMs);
  // The same in the format of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10): relative, in seconds.
  response.setHeader('ratelimit-policy', `"account";q=${decision.limit};w=${limits.rateWindowMs / 1_000}`);
  response.setHeader('ratelimit', `"account";r=${decision.remaining};t=${secondsUntil(decision.resetInMs)}`);
}
