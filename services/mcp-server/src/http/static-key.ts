import type { Request } from 'express';

/** Headers in which other servers take keys. `Authorization` is looked at apart. */
const keyHeaders = ['x-api-key', 'api-key', 'apikey', 'x-api-token', 'x-auth-token', 'x-access-token'];
/** Query parameters in which other servers take keys or tokens (RFC 6750 section 2.3 among them). */
const keyParameters = ['access_token', 'token', 'key', ...keyHeaders, 'api_key', 'x_api_key'];
/** What our API keys begin with. */
const apiKeyForm = /\bmp_[a-z]+_/;

/**
 * True when a request carries a key or a token where none belongs. It is refused even beside a valid access token: a
 * secret in an address ends up in logs and histories (RFC 9700 section 4.3.2), and a client that is set up with a key
 * should be told so instead of seeming to work.
 */
export function carriesStaticKey(request: Request): boolean {
  const parameters = new URL(request.originalUrl, 'http://localhost').searchParams;
  return (
    keyHeaders.some(name => request.headers[name] !== undefined) ||
    [...parameters].some(
      ([name, value]) => keyParameters.includes(name.toLowerCase()) || apiKeyForm.test(value),
    ) ||
    apiKeyForm.test(request.headers.authorization ?? '')
  );
}
