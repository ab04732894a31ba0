import {
  type AssistantId,
  assistantRefusals,
  defaultOauthScopes,
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
import type { AssistantStore, Gateway } from '../../domain/oauth/assistant-store.ts';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import {
  metadataDocumentBytesMax,
  metadataDocumentUrlCharactersMax,
} from '../../domain/oauth/metadata-document.ts';
import { redirectUriKind } from '../../domain/oauth/redirect-uri.ts';
import { refreshTokenSha256 } from '../../domain/oauth/refresh-overlap.ts';
import { clientAuthentications } from '../../domain/oauth/registration.ts';
import type { PrivateJwk } from '../../domain/oauth/signing-key.ts';

/** The paths of the authorization server's endpoints, relative to its issuer, which has no path. */
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

/** Parts of the library's configuration; its other features are disabled. */
export interface ConfigurationParts {
  readonly adapter: (model: string) => Adapter;
  readonly assistants: AssistantStore;
  readonly gateway: Gateway;
  /** The audience of access tokens, and the other spellings of it that clients use. */
  readonly resource: string;
  readonly resources: readonly string[];
  readonly signingKey: PrivateJwk;
  readonly cookieKeys: readonly string[];
  /** Whether browsers reach the service over TLS, so that cookies can be restricted to TLS. */
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
      // Metadata documents list loopback redirects without a port, and only native clients may add one.
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
    // Tokens belong to an assistant and do not depend on a browser session.
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
      // Unknown scopes are dropped instead of refused, and a request without scopes of ours gets the default ones.
      scope: (ctx, value) => {
        const known = requestedScopes(value);
        setParameter(ctx, 'scope', (known.length > 0 ? known : defaultOauthScopes).join(' '));
      },
      // A client may request one spelling of our resource and fetch the token for another.
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
          // Otherwise the library would send the error in the response mode that we refuse.
          setParameter(ctx, 'response_mode', undefined);
          throw new errors.InvalidRequest('response_mode must be query');
        }
      },
    },
    features: {
      devInteractions: { enabled: false },
      // Our resource server does not check DPoP proofs, so binding tokens to them would be a false promise.
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: false },
      revocation: {
        enabled: true,
        // RFC 7009 section 2.1: only the client that a token was issued to can revoke it.
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
    // These endpoints read no cookies: a caller needs the code and its verifier, or the token, so any page may call
    // (RFC 9700).
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

/** Returns a refresh token's lifetime, which never extends beyond the lifetime of the connection. */
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
 * One prompt, for signing in and consent together. Sign-ins are not remembered. Each consent therefore comes from a
 * user who has just typed the password, and a page that frames or forges the request cannot use an earlier sign-in.
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
 * The library looks up the account whenever a code or refresh token is exchanged. A lapsed plan is detected here, and
 * the error tells the assistant why it was refused.
 */
function createFindAccount({
  assistants,
  gateway,
  resource,
  resources,
}: ConfigurationParts): NonNullable<Configuration['findAccount']> {
  return async (ctx: KoaContextWithOIDC, sub, token) => {
    if (token?.kind === 'RefreshToken') {
      // The library checks this after it has used up the token, so a client's mistake would cost it the connection.
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
          'The service is temporarily unavailable. Try again.',
          { cause },
        );
        // Not 400: a client would consider the grant lost.
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

/** Returns the scopes of ours that an authorization request asks for. */
export function requestedScopes(scope: unknown): readonly OauthScope[] {
  const asked = new Set(String(scope ?? '').split(' '));
  return oauthScopeNames.filter(name => asked.has(name));
}
