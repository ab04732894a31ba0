import * as oauth from 'oauth4webapi';
import type { CrmTokens } from '../../domain/crm/connections/crm-connection.ts';
import { OAuthFault } from '../../domain/crm/connections/crm-oauth.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** Our app's registration at a provider. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly endpoints: {
    readonly authorization: string;
    readonly token: string;
    readonly revocation: string;
    readonly introspection?: string;
  };
}

export interface OAuthClient {
  begin(state: string): Promise<{ readonly authorizationUrl: string; readonly verifier: string }>;
  exchange(code: string, verifier: string, signal: AbortSignal): Promise<TokenAnswer>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<TokenAnswer>;
  revoke(token: string, signal: AbortSignal): Promise<void>;
  introspect(accessToken: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/** Tokens, with all other fields of the provider's answer. */
export interface TokenAnswer {
  readonly tokens: CrmTokens;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Endpoint = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;

/** An access token with a shorter lifetime is used until it is refused; otherwise every call would renew it first. */
const secondsMin = 120;
const defaultWaitMs = 10_000;
const waitMsMax = 600_000;

/** Errors of the token endpoint (RFC 6749 section 5.2, and provider-specific ones) that concern the grant. */
const grantErrors: ReadonlySet<string> = new Set(['invalid_grant']);
/** Transient errors. */
const passingErrors: ReadonlySet<string> = new Set([
  'temporarily_unavailable',
  'server_error',
  'unknown_error',
  'rate_limit_exceeded',
]);

/** A client for RFC 6749 with PKCE (RFC 7636), RFC 7009, and RFC 7662. The app authenticates in the body only. */
export function createOAuthClient(app: OAuthApp, fetch: GuardedFetch, now: () => Date): OAuthClient {
  const { endpoints } = app;
  const server: oauth.AuthorizationServer = {
    issuer: new URL(endpoints.token).origin,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    revocation_endpoint: endpoints.revocation,
    ...(endpoints.introspection !== undefined && { introspection_endpoint: endpoints.introspection }),
  };
  const client: oauth.Client = { client_id: app.clientId };
  const proof = oauth.ClientSecretPost(app.clientSecret);

  async function ask(signal: AbortSignal, endpoint: Endpoint): Promise<Response> {
    const response = await endpoint({
      signal,
      // The guard decides which addresses may be called without TLS.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url, init) => fetch(url, init),
    });
    if (response.status === 429) {
      throw new OAuthFault('throttled', 'too_many_requests', waitMsOf(response));
    }
    if (response.status >= 500) {
      throw new OAuthFault('away', `status_${response.status}`);
    }
    if (response.status >= 400 && !isJson(response)) {
      // A page instead of an error (RFC 6749 section 5.2) means that there is no OAuth server at this address.
      throw new OAuthFault('app_refused', `status_${response.status}`);
    }
    return withoutIdToken(response);
  }

  const tokensOf = (answer: oauth.TokenEndpointResponse, refreshToken?: string): TokenAnswer => {
    const kept = answer.refresh_token ?? refreshToken;
    if (kept === undefined) {
      // Without a refresh token, the access would end within the hour, for no visible reason.
      throw new OAuthFault('app_refused', 'no_refresh_token');
    }
    const seconds = answer.expires_in ?? 0;
    return {
      tokens: {
        accessToken: answer.access_token,
        refreshToken: kept,
        accessEndsAt: seconds >= secondsMin ? new Date(now().getTime() + seconds * 1_000) : null,
      },
      fields: answer,
    };
  };

  return {
    async begin(state) {
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(endpoints.authorization);
      const parameters = {
        response_type: 'code',
        client_id: app.clientId,
        redirect_uri: app.redirectUri,
        scope: app.scopes.join(' '),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, value);
      }
      return { authorizationUrl: url.href, verifier };
    },
    exchange: (code, verifier, signal) =>
      understood(async () => {
        // The caller has already checked the state.
        const callback = oauth.validateAuthResponse(
          server,
          client,
          new URLSearchParams({ code }),
          oauth.skipStateCheck,
        );
        const response = await ask(signal, options =>
          oauth.authorizationCodeGrantRequest(
            server,
            client,
            proof,
            callback,
            app.redirectUri,
            verifier,
            options,
          ),
        );
        return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response));
      }),
    refresh: (refreshToken, signal) =>
      understood(async () => {
        const response = await ask(signal, options =>
          oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, options),
        );
        return tokensOf(await oauth.processRefreshTokenResponse(server, client, response), refreshToken);
      }),
    revoke: (token, signal) =>
      understood(async () => {
        const response = await ask(signal, options =>
          oauth.revocationRequest(server, client, proof, token, {
            ...options,
            additionalParameters: { token_type_hint: 'refresh_token' },
          }),
        );
        try {
          await oauth.processRevocationResponse(
            response.status === 204 ? new Response(null, { status: 200 }) : response,
          );
        } catch (error) {
          // Salesforce returns this for a token that has already ended; RFC 7009 section 2.2 counts it as revoked.
          if (!(error instanceof oauth.ResponseBodyError && error.error === 'invalid_token')) {
            throw error;
          }
        }
      }),
    introspect: (accessToken, signal) =>
      understood(async () => {
        const response = await ask(signal, options =>
          oauth.introspectionRequest(server, client, proof, accessToken, {
            ...options,
            additionalParameters: { token_type_hint: 'access_token' },
          }),
        );
        return oauth.processIntrospectionResponse(server, client, response);
      }),
  };
}

/** What the library throws for an answer that does not follow the standards. */
const notUnderstood = [
  oauth.OperationProcessingError,
  oauth.UnsupportedOperationError,
  oauth.WWWAuthenticateChallengeError,
];

/** Converts the library's errors to our fault without their details, because they quote the answer. */
async function understood<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthFault) {
      throw error;
    }
    if (error instanceof oauth.ResponseBodyError) {
      const code = /^[a-z_]{1,60}$/.test(error.error) ? error.error : 'other';
      const kind = grantErrors.has(code) ? 'grant_refused' : passingErrors.has(code) ? 'away' : 'app_refused';
      throw new OAuthFault(kind, code);
    }
    if (notUnderstood.some(kind => error instanceof kind)) {
      throw new OAuthFault('away', 'not_understood');
    }
    throw error;
  }
}

/**
 * Removes an ID token from the response. We do not use OpenID Connect, and for a provider of which we know only the
 * address, there is nothing to verify it with.
 */
async function withoutIdToken(response: Response): Promise<Response> {
  if (!response.ok || !isJson(response)) {
    return response;
  }
  const text = await response.text();
  const { status, headers } = response;
  try {
    const { id_token: _unused, ...fields } = JSON.parse(text) as Record<string, unknown>;
    return new Response(JSON.stringify(fields), { status, headers });
  } catch {
    return new Response(text, { status, headers });
  }
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('json') ?? false;
}

function waitMsOf(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds * 1_000, waitMsMax) : defaultWaitMs;
}
