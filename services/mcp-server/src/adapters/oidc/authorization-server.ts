import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import {
  currentKey,
  type PrivateJwk,
  type SigningKey,
  type SigningKeyStore,
} from '../../domain/oauth/signing-key.ts';
import { authorizationServerPaths, type ConfigurationParts, createConfiguration } from './configuration.ts';
import { correctAnswers, type HeldError } from './corrected-answers.ts';
import { describeServer } from './describe-server.ts';

export interface AuthorizationServerParts extends Omit<ConfigurationParts, 'signingKey'> {
  readonly issuer: string;
  readonly signingKeys: Pick<SigningKeyStore, 'privateJwk'>;
  /** All keys, the newest look at most some seconds old. */
  readonly listKeys: () => Promise<readonly SigningKey[]>;
  readonly now: () => Date;
  /** Shows an error that is not carried to a website by itself. */
  readonly showHeldError: (ctx: KoaContextWithOIDC, held: HeldError) => void;
  readonly onServerError: (error: Error) => void;
  /** An OAuth error that somebody was answered with, by its code. */
  readonly onRefused: (code: string) => void;
  /** An assistant ended by revocation, or by a code or token that was used twice. */
  readonly onRevoked: (assistantId: string) => void;
}

export interface AuthorizationServer {
  /** Answers a request for one of `authorizationServerPaths`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The library, with the key that signs at present. */
  provider(): Promise<Provider>;
}

/** The library holds fixed keys, so that another one of it is made when another key begins to sign. */
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
      // Every address in an answer is made from these; they are the installation's, whoever stands in between says what.
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
  // See `handle`: what stands in these headers is our own word.
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
  // What even the library's own error handling could not answer.
  (provider as EventEmitter).on('error', parts.onServerError);
  return provider;
}

/** The library answers with the refresh token that it made up, which is dropped when another was given already (ADR 0058). */
function answerKeptToken(ctx: KoaContextWithOIDC): void {
  const { RotatedRefreshToken, RefreshToken } = ctx.oidc?.entities ?? {};
  if (ctx.status === 200 && RotatedRefreshToken && RefreshToken) {
    ctx.body = { ...(ctx.body as object), refresh_token: RefreshToken.jti };
  }
}

/** Nobody is remembered (see the policy), so that browsers need not keep a cookie that means nothing. */
function dropCookie(response: ServerResponse, name: string | undefined): void {
  const cookies = response.getHeader('set-cookie');
  if (name !== undefined && Array.isArray(cookies)) {
    const kept = cookies.filter(
      cookie => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
    );
    response.setHeader('set-cookie', kept);
  }
}
