import { Problem } from '@mailproof/service-kit';
import type { Express, RequestHandler } from 'express';
import { reduceAuthorizationRequest } from './authorization-request.ts';
import { type HandleRequest, registerClient } from './register-client.ts';
import { handleTokenRequest } from './token-request.ts';

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
  /** The public keys, as `jwks_uri` answers them. */
  readonly publishedKeys: () => Promise<object>;
  readonly limits: Readonly<Record<'authorization' | 'token' | 'registration', RequestHandler>>;
}

/** Mounts the authorization server on its own paths and no others, so that every other one stays what it is. */
export function mountAuthorizationServer(app: Express, endpoints: AuthorizationEndpoints): void {
  const { paths, limits } = endpoints;
  const handleHere: HandleRequest = async (request, response) => {
    // A target in absolute form (RFC 9112 section 3.2.2) would say where the addresses in the answer lead.
    if (!request.url?.startsWith('/')) {
      throw new Problem('invalid_request', { detail: 'Send the path of the request alone.' });
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

/** Registration reads no cookie, so that the pages of any website may ask for it. */
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
      throw new Problem('method_not_allowed', { detail: `This path takes ${allow}.`, headers: { allow } });
    };
  };
  for (const path of [...metadata, authorization, jwks]) {
    app.all(path, refuse('GET, HEAD'));
  }
  for (const path of Object.values(posted)) {
    app.all(path, refuse('POST'));
  }
}
