import { type CountFailure, type Guard, Problem, unavailable } from '@mailproof/service-kit';
import type { Request, Response } from 'express';
import type { Account, LookUpKey } from '../../domain/accounts/account.ts';
import { type ApiKey, parseApiKey } from '../../domain/keys/api-key.ts';
import type { AdmitAccount } from './admit-account.ts';

export interface ApiKeyGuardOptions {
  readonly lookUpKey: LookUpKey;
  readonly admit: AdmitAccount;
  readonly countFailure: CountFailure;
}

/**
 * Lets in whoever sends a valid key and stays within the account's rate. Every request with a valid key counts,
 * whatever becomes of it; failed attempts count against the address that they come from.
 */
export function createApiKeyGuard(options: ApiKeyGuardOptions): Guard<Account> {
  return async (request, response) => {
    const account = await authenticate(options, request, response);
    await options.admit(account, response);
    return account;
  };
}

async function authenticate(
  options: ApiKeyGuardOptions,
  request: Request,
  response: Response,
): Promise<Account> {
  const text = request.get('x-api-key');
  if (text === undefined || text.trim() === '') {
    return refuse(options, request, response, 'missing_api_key');
  }
  const key = parseApiKey(text.trim());
  const lookup = key ? await lookUp(options.lookUpKey, key) : ({ kind: 'unknown' } as const);
  return lookup.kind === 'active'
    ? lookup.account
    : refuse(options, request, response, refusals[lookup.kind]);
}

const refusals = {
  unknown: 'invalid_api_key',
  revoked: 'revoked_api_key',
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
