import { type CountFailure, Problem, unavailable } from '@mailproof/service-kit';
import type { Request, Response } from 'express';
import {
  type AccessToken,
  challengeOf,
  scopesToRequest,
  type TokenVerdict,
  type VerifyAccessToken,
} from '../domain/access-token.ts';
import type { Assistant, FindAssistant } from '../domain/assistant.ts';
import type { Events } from '../events.ts';

export interface TokenGuardOptions {
  readonly verifyAccessToken: VerifyAccessToken;
  readonly findAssistant: FindAssistant;
  readonly events: Events;
  readonly publicBaseUrl: string;
  /** Counts tokens that are not ours against the client's address. */
  readonly countFailure: CountFailure;
  /** Counts requests without a token against the client's address. */
  readonly countTokenless: CountFailure;
}

/** A request with a valid token of an assistant that is still connected. */
export interface Authorized {
  readonly token: AccessToken;
  readonly assistant: Assistant;
}

/** Accepts a valid access token, in the `Authorization` header only (RFC 6750 section 2.1). */
export type TokenGuard = (request: Request, response: Response) => Promise<Authorized>;

export function createTokenGuard(options: TokenGuardOptions): TokenGuard {
  return async (request, response) => {
    if (carriesStaticKey(request)) {
      throw await refusal(options, request, response, 'static_key');
    }
    const header = request.get('authorization');
    if (header === undefined) {
      options.events.tokenRefused('missing');
      // This is how a client discovers where to sign in, so it is not a failure and has a separate count.
      await options.countTokenless(request, response);
      throw new Problem('missing_access_token', { headers: challenge(options, request) });
    }
    const verdict = await judged(options, header);
    if (verdict.kind !== 'valid') {
      throw await refusal(options, request, response, verdict.kind);
    }
    const { token } = verdict;
    const assistant = await options.findAssistant(token).catch(cause => {
      throw unavailable('Access tokens cannot be checked right now.', cause);
    });
    if (assistant === undefined) {
      throw await refusal(options, request, response, 'disconnected');
    }
    response.locals['isAdmitted'] = true;
    return { token, assistant };
  };
}

async function judged(options: TokenGuardOptions, header: string): Promise<TokenVerdict> {
  // The scheme's name is case-insensitive (RFC 9110 section 11.1).
  const token = /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
  if (token === undefined) {
    return { kind: 'refused' };
  }
  try {
    return await options.verifyAccessToken(token);
  } catch (cause) {
    throw unavailable('Access tokens cannot be checked right now.', cause);
  }
}

const refusals = {
  static_key: {
    code: 'static_key_not_supported',
    detail:
      'API keys and tokens in URLs are not accepted. Give the MCP client only the /mcp URL; it signs in with OAuth.',
  },
  refused: { code: 'invalid_access_token', detail: 'The access token is not valid for this server.' },
  expired: { code: 'invalid_access_token', detail: 'The access token has expired.' },
  disconnected: { code: 'invalid_access_token', detail: 'The assistant was disconnected. Connect it again.' },
} as const;

/**
 * Returns the problem to refuse a request with. A token that no honest client sends counts against the client's
 * address. A token that was ours does not: every client sends an expired one every few minutes, many of them from the
 * few addresses of one vendor, and they need the 401 in order to refresh it.
 */
async function refusal(
  options: TokenGuardOptions,
  request: Request,
  response: Response,
  reason: keyof typeof refusals,
): Promise<Problem> {
  options.events.tokenRefused(reason);
  const { code, detail } = refusals[reason];
  if (reason === 'static_key' || reason === 'refused') {
    await options.countFailure(request, response);
  }
  const error = reason === 'static_key' ? undefined : { code: 'invalid_token', description: detail };
  return new Problem(code, { detail, headers: challenge(options, request, error) });
}

function challenge(
  { publicBaseUrl }: TokenGuardOptions,
  request: Request,
  error?: { code: string; description: string },
): Readonly<Record<string, string>> {
  const scopes = scopesToRequest(parametersOf(request).get('tools'));
  return { 'www-authenticate': challengeOf(publicBaseUrl, scopes, error) };
}

function parametersOf({ originalUrl }: Request): URLSearchParams {
  return new URL(originalUrl, 'http://localhost').searchParams;
}

/** Headers in which other servers accept keys. `Authorization` is checked separately. */
const keyHeaders = ['x-api-key', 'api-key', 'apikey', 'x-api-token', 'x-auth-token', 'x-access-token'];

/** Query parameters in which other servers accept keys or tokens, including RFC 6750 section 2.3. */
const keyParameters = ['access_token', 'token', 'key', ...keyHeaders, 'api_key', 'x_api_key'];

/** The prefix of our API keys. */
const apiKeyForm = /\bmp_[a-z]+_/;

/**
 * True when a request carries a key or a token in the wrong place. It is refused even with a valid access token: a
 * secret in a URL ends up in logs and histories (RFC 9700 section 4.3.2), and a client that was configured with a key
 * should get an error instead of seeming to work.
 */
function carriesStaticKey(request: Request): boolean {
  return (
    keyHeaders.some(name => request.headers[name] !== undefined) ||
    [...parametersOf(request)].some(
      ([name, value]) => keyParameters.includes(name.toLowerCase()) || apiKeyForm.test(value),
    ) ||
    apiKeyForm.test(request.headers.authorization ?? '')
  );
}
