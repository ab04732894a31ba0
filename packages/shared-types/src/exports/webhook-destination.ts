import { z } from 'zod';
import { webhookPresetNames } from './webhook-presets.ts';

/** A field name as defined by RFC 9110 section 5.1. */
const headerName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a valid header name');

/** Visible characters with spaces between them; other characters could end the header and start another. */
const headerValue = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must contain only visible ASCII characters');

const signingSecret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'must be `whsec_` followed by 24 to 64 octets in base64',
  );

/**
 * The destination of pushed rows. It is encrypted, kept in memory only for as long as the push needs it, and cannot be
 * read back.
 */
export const webhookDestination = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .describe(
        'URL that each row is posted to. `https`; `http` only to private addresses that the operator allows. The port must be 80, 443 or above 1023.',
      ),
    header: z
      .strictObject({ name: headerName, value: headerValue })
      .optional()
      .describe('One custom header, such as `Authorization`, sent with every row.'),
    signing_secret: signingSecret
      .optional()
      .describe(
        'The secret that signs rows (Standard Webhooks). If omitted, one is generated and returned once.',
      ),
  })
  .meta({ id: 'WebhookDestination' });

export type WebhookDestination = z.output<typeof webhookDestination>;

/** How rows are pushed; stored with the export. */
export const webhookOptions = z
  .strictObject({
    preset: z
      .enum(webhookPresetNames)
      .optional()
      .describe('The receiver type, which sets its rate limits; detected from the URL if omitted.'),
    rows_per_second_max: z
      .number()
      .min(0.1)
      .max(1_000)
      .optional()
      .describe('Maximum rows per second. The actual rate adapts below it.'),
  })
  .meta({ id: 'WebhookOptions' });

export type WebhookOptions = z.output<typeof webhookOptions>;
