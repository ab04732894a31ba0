import type { RequestHandler } from 'express';

/**
 * Parameters of an authorization request that mean something here. Others, such as `nonce` without OpenID Connect, would
 * be held against the client. A `prompt` other than `none` asks for what is done anyway.
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

/** Leaves in an authorization request what is meant for this server. */
export const reduceAuthorizationRequest: RequestHandler = (request, _response, next) => {
  const { pathname, searchParams } = new URL(request.url, 'http://local.invalid');
  const kept = [...searchParams].filter(
    ([name, value]) => meant.has(name) || (name === 'prompt' && value === 'none'),
  );
  request.url = `${pathname}?${new URLSearchParams(kept)}`;
  next();
};
