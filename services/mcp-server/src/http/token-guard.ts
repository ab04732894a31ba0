import { type CountFailure, Problem, unavailable } from '@mailproof/service-kit';
import type { Request, Response } from 'express';
import type { AccessToken, TokenVerdict, VerifyAccessToken } from '../domain/access-token.ts';
import type { Assistant, FindAssistant } from '../domain/assistant.ts';
import { challengeOf } from '../domain/challenge.ts';
import type { Events } from '../events.ts';
import { carriesStaticKey } from './static-key.ts';

export interface TokenGuardOptions {
  readonly verifyAccessToken: VerifyAccessToken;
  readonly findAssistant: FindAssistant;
  readonly events: Events;
  readonly publicBaseUrl: string;
  /** Counts tokens that are none of ours against the client's address. */
  readonly countFailure: CountFailure;
  /** Counts requests without a token against the client's address. */
  readonly countTokenless: CountFailure;
}

/** A request with a valid token of an assistant that is still connected. */
export interface Authorized {
  readonly token: AccessToken;
  readonly assistant: Assistant;
}

/** Lets in a valid access token, in the `Authorization` header alone (RFC 6750 section 2.1). */
export type TokenGuard = (request: Request, response: Response) => Promise<Authorized>;

export function createTokenGuard(options: TokenGuardOptions): TokenGuard {
  return async (request, response) => {
    if (carriesStaticKey(request)) {
      throw await refusal(options, request, response, 'static_key');
    }
    const header = request.get('authorization');
    if (header === undefined) {
      options.events.tokenRefused('missing');
      // A client finds out this way where to sign in, so it is no failure and has a count of its own.
      await options.countTokenless(request, response);
      throw new Problem('missing_access_token', { headers: challenge(options) });
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
  // The scheme's name has no case (RFC 9110 section 11.1).
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
      'API keys and tokens in addresses are not taken here. Give the MCP client the address of /mcp alone; it signs in by OAuth.',
  },
  refused: { code: 'invalid_access_token', detail: 'The access token is not valid here.' },
  expired: { code: 'invalid_access_token', detail: 'The access token has expired.' },
  disconnected: { code: 'invalid_access_token', detail: 'The assistant was disconnected. Connect it again.' },
} as const;

/**
 * Says what to refuse a request with. What nobody sends in all innocence counts against the client's address. A token
 * that was ours does not: one that is over is sent every some minutes by every client, many of them from the few
 * addresses of one vendor, and they need the 401 in order to refresh it.
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
  return new Problem(code, { detail, headers: challenge(options, error) });
}

function challenge(
  { publicBaseUrl }: TokenGuardOptions,
  error?: { code: string; description: string },
): Readonly<Record<string, string>> {
  return { 'www-authenticate': challengeOf(publicBaseUrl, error) };
}
