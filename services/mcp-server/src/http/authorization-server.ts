import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { assertText, formOf, Problem, parseJson } from '@mailproof/service-kit';
import { oauthScopeNames } from '@mailproof/shared-types';
import express, { type Express, type RequestHandler, type Response } from 'express';
import { judgeRegistration } from '../domain/oauth/registration.ts';

export interface AuthorizationEndpoints {
  readonly paths: {
    readonly authorization: string;
    readonly token: string;
    readonly registration: string;
    readonly revocation: string;
    readonly pushedRequest: string;
    readonly jwks: string;
    readonly metadata: readonly string[];
  };
  readonly handle: HandleRequest;
  /** The public keys, as served at `jwks_uri`. */
  readonly publishedKeys: () => Promise<object>;
  readonly limits: Readonly<Record<'authorization' | 'token' | 'registration', RequestHandler>>;
}

/** Mounts the authorization server on its own paths only, so that all other paths are unaffected. */
export function mountAuthorizationServer(app: Express, endpoints: AuthorizationEndpoints): void {
  const { paths, limits } = endpoints;
  const handleHere: HandleRequest = async (request, response) => {
    // A target in absolute form (RFC 9112 section 3.2.2) would determine the host of the URLs in the response.
    if (!request.url?.startsWith('/')) {
      throw new Problem('invalid_request', { detail: 'Send the request path only.' });
    }
    await endpoints.handle(request, response);
  };
  const handle: RequestHandler = (request, response) => handleHere(request, response);
  const handleForm = handleTokenRequest(handleHere);
  for (const path of paths.metadata) {
    app.get(path, handle).options(path, handle);
  }
  app.get(paths.authorization, limits.authorization, reduceAuthorizationRequest, handle);
  app.get(`${paths.authorization}/:uid`, limits.authorization, handle);
  for (const path of [paths.token, paths.revocation, paths.pushedRequest]) {
    app.post(path, limits.token, ...handleForm).options(path, handle);
  }
  mountRegistration(app, paths.registration, [limits.registration, ...registerClient(endpoints.handle)]);
  app.get(paths.jwks, async (_request, response) => {
    response.set('access-control-allow-origin', '*').json(await endpoints.publishedKeys());
  });
  refuseOtherMethods(app, paths);
}

/** Registration reads no cookies, so pages of any website may call it. */
function mountRegistration(app: Express, path: string, handlers: readonly RequestHandler[]): void {
  const allowAll: RequestHandler = (_request, response, next) => {
    response.set('access-control-allow-origin', '*');
    next();
  };
  app.options(path, allowAll, (request, response) => {
    response
      .set('access-control-allow-methods', 'POST')
      .set('access-control-allow-headers', request.get('access-control-request-headers') ?? 'content-type')
      .set('access-control-max-age', '3600')
      .status(204)
      .end();
  });
  app.post(path, allowAll, ...handlers);
}

function refuseOtherMethods(app: Express, paths: AuthorizationEndpoints['paths']): void {
  const { metadata, authorization, jwks, ...posted } = paths;
  const refuse = (allow: string): RequestHandler => {
    return () => {
      throw new Problem('method_not_allowed', { detail: `This path allows ${allow}.`, headers: { allow } });
    };
  };
  for (const path of [...metadata, authorization, jwks]) {
    app.all(path, refuse('GET, HEAD'));
  }
  for (const path of Object.values(posted)) {
    app.all(path, refuse('POST'));
  }
}

/**
 * Parameters of an authorization request that have a meaning here. The library would refuse the client because of
 * others, such as `nonce` without OpenID Connect. A `prompt` other than `none` asks for what happens anyway.
 */
const meant: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'resource',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]);

/** Keeps only the parameters of an authorization request that have a meaning here. */
const reduceAuthorizationRequest: RequestHandler = (request, _response, next) => {
  const { pathname, searchParams } = new URL(request.url, 'http://local.invalid');
  const kept = [...searchParams].filter(
    ([name, value]) => meant.has(name) || (name === 'prompt' && value === 'none'),
  );
  request.url = `${pathname}?${new URLSearchParams(kept)}`;
  next();
};

/** Largest registration, in octets. */
const registrationBytesMax = 16_384;

type HandleRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Registers a client (RFC 7591): derives its registration from the request, and passes that to the library. */
function registerClient(handle: HandleRequest): RequestHandler[] {
  const read = express.raw({ limit: registrationBytesMax, type: () => true });
  return [
    (request, response, next) => {
      read(request, response, error => {
        if (error === undefined) {
          next();
          return;
        }
        const isTooLarge = (error as { status?: number }).status === 413;
        response.status(isTooLarge ? 413 : 400).json({
          error: 'invalid_client_metadata',
          error_description: isTooLarge
            ? `The body must be at most ${registrationBytesMax} octets.`
            : 'The body could not be read.',
        });
      });
    },
    async (request, response) => {
      const judgment = judge(request.body);
      if (judgment.kind === 'refused') {
        const { error, description } = judgment;
        response.status(400).json({ error, error_description: description });
        return;
      }
      const octets = Buffer.from(JSON.stringify(judgment.registration));
      await handle(withBody(request, { type: 'application/json', octets }), response);
    },
  ];
}

function judge(octets: unknown): ReturnType<typeof judgeRegistration> {
  try {
    const asked = octets instanceof Uint8Array ? parseJson(octets) : undefined;
    assertText(asked);
    return judgeRegistration(asked);
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    return error.code === 'invalid_request'
      ? { kind: 'refused', error: 'invalid_client_metadata', description: error.message }
      : judgeRegistration(undefined);
  }
}

/** Largest form that the library accepts, in octets. */
const tokenRequestBytesMax = 57_344;

const formType = 'application/x-www-form-urlencoded';

/**
 * Passes a token request to the library, without the parts that have no meaning here. Generic OAuth clients send these
 * parts out of habit, and would be refused, or lose their connection at the first refresh, without need:
 *
 * - scopes in a refresh that are not ours. They were also dropped from the authorization request;
 * - an empty secret in `Authorization: Basic`. It proves no more than `client_id` in the body (RFC 6749 section 2.3.1).
 */
function handleTokenRequest(handle: HandleRequest): RequestHandler[] {
  const readOctets = express.raw({ limit: tokenRequestBytesMax, type: formType });
  return [
    (request, response, next) => {
      readOctets(request, response, error => {
        if (error === undefined) {
          next();
          return;
        }
        refuse(response, 'failed to parse the request body');
      });
    },
    async (request, response) => {
      const octets: unknown = request.body;
      if (!Buffer.isBuffer(octets)) {
        await handle(request, response);
        return;
      }
      const form = read(octets);
      if (form instanceof Problem) {
        refuse(response, form.message);
        return;
      }
      const isReduced = reduceScope(form);
      const isNamed = nameClient(form, request.get('authorization'));
      await handle(
        withBody(
          request,
          {
            type: request.get('content-type') ?? formType,
            octets: isReduced || isNamed ? Buffer.from(form.toString()) : octets,
          },
          isNamed ? ['authorization'] : [],
        ),
        response,
      );
    },
  ];
}

function refuse(response: Response, description: string): void {
  response.status(400).json({ error: 'invalid_request', error_description: description });
}

function read(octets: Buffer): URLSearchParams | Problem {
  try {
    return formOf(octets);
  } catch (error) {
    if (error instanceof Problem) {
      return error;
    }
    throw error;
  }
}

/** Keeps only our own scopes in a refresh. If none are left, it drops the parameter, which means all granted scopes. */
function reduceScope(form: URLSearchParams): boolean {
  const [scope, ...others] = form.getAll('scope');
  if (form.get('grant_type') !== 'refresh_token' || scope === undefined || others.length > 0) {
    return false;
  }
  const known = scope.split(' ').filter(name => (oauthScopeNames as readonly string[]).includes(name));
  if (known.length > 0) {
    form.set('scope', known.join(' '));
  } else {
    form.delete('scope');
  }
  return true;
}

/** Moves the client's id from the header to the form if the header has an empty secret. */
function nameClient(form: URLSearchParams, authorization: string | undefined): boolean {
  const credentials = /^basic +([\w+/-]+=*)$/i.exec(authorization ?? '')?.[1];
  const encodedId = /^([^:]+):$/.exec(Buffer.from(credentials ?? '', 'base64').toString())?.[1];
  if (encodedId === undefined) {
    return false;
  }
  // Both parts are form-encoded before they are joined.
  const clientId = new URLSearchParams(`id=${encodedId}`).get('id') ?? '';
  if (form.getAll('client_id').some(given => given !== clientId)) {
    return false;
  }
  form.set('client_id', clientId);
  return true;
}

/** A replacement for the body of a request. */
interface Body {
  readonly type: string;
  readonly octets: Buffer;
}

/** Returns the same request with another body, because the library reads the body itself. */
function withBody(
  request: IncomingMessage,
  { type, octets }: Body,
  dropped: readonly string[] = [],
): IncomingMessage {
  const { method, url, socket, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const left = new Set(['transfer-encoding', 'content-encoding', ...dropped]);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !left.has(name)));
  return Object.assign(Readable.from([octets], { objectMode: false }), {
    method,
    url,
    socket,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    headers: { ...headers, 'content-type': type, 'content-length': String(octets.length) },
  }) as unknown as IncomingMessage;
}
