import { Webhook } from 'standardwebhooks';
import type { webhooks } from './generated/schema.ts';

type Events = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
};

/** An event: compare its `type`, and `data` has the fields of this type. */
export type WebhookEvent = Events[keyof Events];

/**
 * Another body that Mailproof has signed: a row of a push, which has the columns of its source, or an event of a type
 * that this version does not know. Its `type` has no type here, so that comparing it finds events only.
 */
export interface OtherWebhook {
  readonly type?: undefined;
  readonly [member: string]: unknown;
}

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
): WebhookEvent | OtherWebhook {
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  let refusal: unknown;
  for (const secret of secrets) {
    try {
      // Signed by Mailproof, whose contract says what it sends.
      return new Webhook(secret).verify(body, texts) as WebhookEvent | OtherWebhook;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
