import {
  type AssistantId,
  assistantRefusals,
  type OauthScope,
  oauthScopeNames,
  type UserId,
} from '@mailproof/shared-types';
import {
  type Adapter,
  type Configuration,
  errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { accessTokenSeconds, assistantClaim, refreshClaim } from '../../domain/access-token.ts';
import type { AssistantStore } from '../../domain/oauth/assistant-store.ts';
import type { Gateway } from '../../domain/oauth/gateway-port.ts';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import {
  metadataDocumentBytesMax,
  metadataDocumentUrlCharactersMax,
} from '../../domain/oauth/metadata-document.ts';
import { redirectUriKind } from '../../domain/oauth/redirect-uri.ts';
import { refreshTokenSha256 } from '../../domain/oauth/refresh-overlap.ts';
import { clientAuthentications } from '../../domain/oauth/registration.ts';
import type { PrivateJwk } from '../../domain/oauth/signing-key.ts';

/** Where the authorization server answers; all at its issuer, which has no path. */
export const authorizationServerPaths = {
  authorization: '/authorize',
  token: '/token',
  registration: '/register',
  revocation: '/revoke',
  pushedRequest: '/par',
  jwks: '/jwks',
  signIn: '/sign-in',
  metadata: ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
} as const;

/** What the library is told; everything that it could do besides is switched off. */
export interface ConfigurationParts {
  readonly adapter: (model: string) => Adapter;
  readonly assistants: AssistantStore;
  readonly gateway: Gateway;
  /** The audience of access tokens, and the other spellings in which clients name it. */
  readonly resource: string;
  readonly resources: readonly string[];
  readonly signingKey: PrivateJwk;
  readonly cookieKeys: readonly string[];
  /** Whether browsers reach the service by TLS, so that cookies can be kept to it. */
  readonly isSecure: boolean;
  readonly fetch: NonNullable<Configuration['fetch']>;
  readonly renderError: NonNullable<Configuration['renderError']>;
}

export function createConfiguration(parts: ConfigurationParts): Configuration {
  const { resource, resources, signingKey } = parts;
  return {
    adapter: parts.adapter,
    jwks: { keys: [signingKey as unknown as JWK] },
    scopes: [],
    responseTypes: ['code'],
    clientAuthMethods: [...clientAuthentications],
    clientDefaults: {
      // Metadata documents name loopback redirects without a port, which native clients alone may add to.
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'none',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    pkce: { required: () => true },
    routes: {
      authorization: authorizationServerPaths.authorization,
      token: authorizationServerPaths.token,
      registration: authorizationServerPaths.registration,
      revocation: authorizationServerPaths.revocation,
      pushed_authorization_request: authorizationServerPaths.pushedRequest,
      jwks: authorizationServerPaths.jwks,
    },
    ttl: {
      AuthorizationCode: lifetimes.authorizationCodeSeconds,
      Interaction: lifetimes.signInSeconds,
      Session: lifetimes.signInSeconds,
      Grant: lifetimes.connectionSeconds,
      AccessToken: accessTokenSeconds,
      RefreshToken: (_ctx, token) => refreshTokenSeconds(token.totalLifetime()),
    },
    cookies: cookiesOf(parts),
    interactions: {
      url: (_ctx, interaction) => `${authorizationServerPaths.signIn}/${interaction.uid}`,
      policy: createPolicy(),
    },
    // Tokens are for an assistant, not for the time that a browser is signed in.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Rotation for every client (OAuth 2.1 section 4.3.1); the store decides whether a use is a replay (ADR 0058).
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    loadExistingGrant: async ctx => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
    },
    findAccount: createFindAccount(parts),
    extraTokenClaims: (ctx, token) => ({
      [assistantClaim]: 'grantId' in token ? token.grantId : undefined,
      [refreshClaim]: refreshSha256Of(ctx),
    }),
    extraParams: {
      // Scopes that mean nothing here are left out instead of refused, and none at all means all of ours.
      scope: (ctx, value) => {
        const known = requestedScopes(value);
        setParameter(ctx, 'scope', (known.length > 0 ? known : oauthScopeNames).join(' '));
      },
      // What was asked for one spelling of our resource may be fetched for another.
      resource: ctx => {
        setParameter(ctx, 'resource', [...resources]);
        const { provider, resourceServers } = ctx.oidc;
        for (const identifier of resources) {
          const info = resourceServer(resource, signingKey.kid);
          Object.assign(resourceServers ?? {}, {
            [identifier]: new provider.ResourceServer(identifier, info),
          });
        }
      },
      response_mode: (ctx, value) => {
        if (value !== undefined && value !== 'query') {
          // Without it the refusal itself would be sent in the mode that is refused.
          setParameter(ctx, 'response_mode', undefined);
          throw new errors.InvalidRequest('response_mode must be query');
        }
      },
    },
    features: {
      devInteractions: { enabled: false },
      // Our resource server does not check proofs, so that binding a token to one would promise too much.
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: false },
      revocation: {
        enabled: true,
        // RFC 7009 section 2.1: a token is revoked by the client that it was given to, and by nobody else.
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      pushedAuthorizationRequests: { enabled: true },
      registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
      // The draft may change in any release: the version of the library is pinned (ADR 0025).
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: async (_ctx, clientId) => clientId.length <= metadataDocumentUrlCharactersMax,
        allowClient: async (_ctx, client) => (client.redirectUris ?? []).every(uri => redirectUriKind(uri)),
        cacheDuration: { min: 60, max: 3_600 },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? [...resources],
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, identifier) => {
          if (!resources.includes(identifier)) {
            throw new errors.InvalidTarget(`resource must be ${resource}`);
          }
          return resourceServer(resource, signingKey.kid);
        },
      },
    },
    // No cookie is read there: who calls has the code and its verifier, or the token, and any page may (RFC 9700).
    clientBasedCORS: () => true,
    fetch: parts.fetch,
    fetchResponseBodyLimits: {
      'client_id metadata document': metadataDocumentBytesMax,
      jwks_uri: 5 * 1_024,
      sector_identifier_uri: 5 * 1_024,
    },
    renderError: parts.renderError,
  };
}

function resourceServer(audience: string, kid: string) {
  return {
    scope: oauthScopeNames.join(' '),
    audience,
    accessTokenTTL: accessTokenSeconds,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'ES256' as const, kid } },
  };
}

/** However often it is refreshed, an assistant ends with its connection. */
function refreshTokenSeconds(secondsSinceConnected: number): number {
  return Math.max(
    1,
    Math.min(lifetimes.refreshTokenSeconds, lifetimes.connectionSeconds - secondsSinceConnected),
  );
}

function cookiesOf({ cookieKeys, isSecure }: ConfigurationParts): NonNullable<Configuration['cookies']> {
  const prefix = isSecure ? '__Secure-' : '';
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    ...(isSecure && { secure: true }),
  } as const;
  return {
    keys: [...cookieKeys],
    names: {
      session: `${prefix}mailproof_oauth_session`,
      interaction: `${prefix}mailproof_sign_in`,
      resume: `${prefix}mailproof_sign_in_resume`,
    },
    long: attributes,
    short: attributes,
  };
}

/**
 * One prompt, for signing in and consent together. Nobody is remembered, so that each consent is given by somebody who
 * has just typed the password, and a page that frames or fakes the request cannot use an earlier sign-in.
 */
function createPolicy(): interactionPolicy.Prompt[] {
  const { Prompt, Check } = interactionPolicy;
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('no_consent', 'End-User authentication is required', ctx =>
        ctx.oidc.result?.login && ctx.oidc.result.consent?.grantId
          ? Check.NO_NEED_TO_PROMPT
          : Check.REQUEST_PROMPT,
      ),
    ),
    new Prompt({ name: 'consent', requestable: true }),
    new Prompt({ name: 'select_account', requestable: true }),
  ];
}

/**
 * The library asks for the account at every exchange of a code or refresh token, which is where a plan that has lapsed
 * is found out. An assistant that is refused is told why, in words.
 */
function createFindAccount({
  assistants,
  gateway,
  resource,
  resources,
}: ConfigurationParts): NonNullable<Configuration['findAccount']> {
  return async (ctx: KoaContextWithOIDC, sub, token) => {
    if (token?.kind === 'RefreshToken') {
      // The library looks at it once the token is used up, so that a slip of the client would cost it the connection.
      const asked = [ctx.oidc.params?.['resource'] ?? []].flat();
      if (!asked.every(identifier => resources.includes(String(identifier)))) {
        throw new errors.InvalidTarget(`resource must be ${resource}`);
      }
    }
    if (token && 'grantId' in token && token.grantId) {
      const assistant = await assistants.findGrant(token.grantId as AssistantId);
      if (!assistant || assistant.userId !== (sub as UserId)) {
        return undefined;
      }
      const access = await gateway.assistantAccess(assistant).catch(cause => {
        const away = new errors.CustomOIDCProviderError(
          'temporarily_unavailable',
          'A part of the service is not available right now. Try again.',
          { cause },
        );
        // Not 400: a client would take the grant for lost.
        return Promise.reject(Object.assign(away, { status: 503, statusCode: 503 }));
      });
      if (access.kind === 'refused') {
        throw new errors.CustomOIDCProviderError('invalid_grant', assistantRefusals[access.reason]);
      }
    }
    return { accountId: sub, claims: async () => ({ sub }) };
  };
}

/** The hash of the refresh token that a refresh returns together with an access token. */
function refreshSha256Of({ oidc }: KoaContextWithOIDC): string | undefined {
  const { RotatedRefreshToken, RefreshToken } = oidc.entities;
  return RotatedRefreshToken && RefreshToken
    ? refreshTokenSha256(RefreshToken.jti).toString('base64url')
    : undefined;
}

function setParameter(ctx: KoaContextWithOIDC, name: string, value: unknown): void {
  if (ctx.oidc.params) {
    ctx.oidc.params[name] = value;
  }
}

/** The scopes of ours that an authorization request is for. */
export function requestedScopes(scope: unknown): readonly OauthScope[] {
  const asked = new Set(String(scope ?? '').split(' '));
  return oauthScopeNames.filter(name => asked.has(name));
}
