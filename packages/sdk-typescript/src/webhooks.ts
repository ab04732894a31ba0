import { Webhook } from 'standardwebhooks';

/**
 * Verifies the signature and the time of a webhook (Standard Webhooks) and returns its parsed body.
 *
 * @param body the body as received: parsing and writing it again changes it
 * @param headers of the request: a `Headers` or an object
 * @param secret begins with `whsec_`; during a rotation, all secrets that are valid
 * @throws Error if no secret fits, or if the webhook is older than five minutes
 */
export function verifyWebhook(
  body: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  ...secrets: readonly [string, ...string[]]
): unknown {
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  let refusal: unknown;
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, texts);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
