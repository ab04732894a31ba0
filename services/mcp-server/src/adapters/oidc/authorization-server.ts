import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { oauthScopeNames } from '@mailproof/shared-types';
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import {
  currentKey,
  type PrivateJwk,
  type SigningKey,
  type SigningKeyStore,
} from '../../domain/oauth/signing-key.ts';
import { authorizationServerPaths, type ConfigurationParts, createConfiguration } from './configuration.ts';
import { correctAnswers, type HeldError } from './corrected-answers.ts';

interface AuthorizationServerParts extends Omit<ConfigurationParts, 'signingKey'> {
  readonly issuer: string;
  readonly signingKeys: Pick<SigningKeyStore, 'privateJwk'>;
  /** All keys, from a cache that is at most a few seconds old. */
  readonly listKeys: () => Promise<readonly SigningKey[]>;
  readonly now: () => Date;
  /** Shows an error instead of redirecting it to a website automatically. */
  readonly showHeldError: (ctx: KoaContextWithOIDC, held: HeldError) => void;
  readonly onServerError: (error: Error) => void;
  /** Called with the code of each OAuth error in a response. */
  readonly onRefused: (code: string) => void;
  /** Called when an assistant ended through revocation, or because a code or token was used twice. */
  readonly onRevoked: (assistantId: string) => void;
}

interface AuthorizationServer {
  /** Handles a request for one of `authorizationServerPaths`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The library instance with the current signing key. */
  provider(): Promise<Provider>;
}

/** An instance of the library has fixed keys, so a new instance is created when another key starts to sign. */
export function createAuthorizationServer(parts: AuthorizationServerParts): AuthorizationServer {
  let built: { readonly kid: string; readonly provider: Promise<Provider> } | undefined;

  async function provider(): Promise<Provider> {
    const key = currentKey(await parts.listKeys(), parts.now());
    if (!key) {
      throw new Error('There is no key to sign access tokens with.');
    }
    if (built?.kid !== key.kid) {
      const made = parts.signingKeys.privateJwk(key.kid).then(signingKey => build(parts, signingKey));
      const attempt = { kid: key.kid, provider: made };
      built = attempt;
      made.catch(() => {
        // The next request tries again.
        if (built === attempt) {
          built = undefined;
        }
      });
    }
    return built.provider;
  }

  return {
    provider,
    async handle(request, response) {
      const { host, protocol } = new URL(parts.issuer);
      // The library builds every URL in a response from these. They come from our configuration, not from a proxy.
      request.headers.host = host;
      request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
      delete request.headers['x-forwarded-host'];
      await (await provider()).callback()(request, response);
    },
  };
}

function build(parts: AuthorizationServerParts, signingKey: PrivateJwk): Provider {
  const configuration: Configuration = createConfiguration({ ...parts, signingKey });
  const provider = new Provider(parts.issuer, configuration);
  // See `handle`: we set these headers.
  provider.proxy = true;
  provider.silent = true;
  const sessionCookie = configuration.cookies?.names?.session;
  provider.use(async (ctx, next) => {
    ctx.state['arrivedAt'] = parts.now();
    await next();
    if (authorizationServerPaths.metadata.some(path => path === ctx.path) && ctx.status === 200) {
      ctx.body = describeServer(ctx.body as Readonly<Record<string, unknown>>);
    }
    answerKeptToken(ctx as KoaContextWithOIDC);
    dropCookie(ctx.res, sessionCookie);
  });
  correctAnswers(provider, parts.showHeldError);
  provider.on('server_error', (_ctx, error) => parts.onServerError(error));
  provider.on('authorization.error', (_ctx, error) => parts.onRefused(error.message));
  provider.on('grant.error', (_ctx, error) => parts.onRefused(error.message));
  provider.on('grant.revoked', (_ctx, grantId) => parts.onRevoked(grantId));
  // Errors that the library's own error handling did not handle.
  (provider as EventEmitter).on('error', parts.onServerError);
  return provider;
}

/** Replaces the refresh token that the library generated with the token that the store chose (ADR 0058). */
function answerKeptToken(ctx: KoaContextWithOIDC): void {
  const { RotatedRefreshToken, RefreshToken } = ctx.oidc?.entities ?? {};
  if (ctx.status === 200 && RotatedRefreshToken && RefreshToken) {
    ctx.body = { ...(ctx.body as object), refresh_token: RefreshToken.jti };
  }
}

/** Sign-ins are not remembered (see the policy), so the browser does not need this cookie. */
function dropCookie(response: ServerResponse, name: string | undefined): void {
  const cookies = response.getHeader('set-cookie');
  if (name !== undefined && Array.isArray(cookies)) {
    const kept = cookies.filter(
      cookie => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
    );
    response.setHeader('set-cookie', kept);
  }
}

/**
 * Members of the library's metadata that apply here (RFC 8414, RFC 9126, RFC 9207); the others belong to OpenID
 * Connect.
 */
const kept = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'registration_endpoint',
  'revocation_endpoint',
  'pushed_authorization_request_endpoint',
  'grant_types_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'request_uri_parameter_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
] as const;

/** The authorization server's metadata, without anything that the server does not offer. */
function describeServer(described: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    ...Object.fromEntries(kept.flatMap(name => (name in described ? [[name, described[name]]] : []))),
    revocation_endpoint_auth_methods_supported: described['token_endpoint_auth_methods_supported'],
    response_modes_supported: ['query'],
    // Without `offline_access`: every client that can use refresh tokens gets them, whether or not it requests that
    // scope.
    scopes_supported: oauthScopeNames,
  };
}
