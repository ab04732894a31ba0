import { z } from 'zod';
import { webhookPresetNames } from './webhook-presets.ts';

/** A field name after RFC 9110 section 5.1. */
const headerName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');

/** Visible characters and spaces between them: whatever else could end the header and begin another. */
const headerValue = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be visible ASCII characters');

const signingSecret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'must be whsec_ and 24 to 64 octets in base64',
  );

/**
 * Where rows are pushed to. It is kept sealed for as long as the push needs it, in memory alone, and nobody can read it
 * back.
 */
export const webhookDestination = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .describe(
        'Where each row is posted to. `https`; `http` only to private addresses that the operator allows. Its port is 80, 443 or above 1023.',
      ),
    header: z
      .strictObject({ name: headerName, value: headerValue })
      .optional()
      .describe('One header of your own, such as `Authorization`, sent with every row.'),
    signing_secret: signingSecret
      .optional()
      .describe(
        'The secret that rows are signed with (Standard Webhooks). Made up and answered once where there is none.',
      ),
  })
  .meta({ id: 'WebhookDestination' });

export type WebhookDestination = z.output<typeof webhookDestination>;

/** How rows are pushed; kept with the export. */
export const webhookOptions = z
  .strictObject({
    preset: z
      .enum(webhookPresetNames)
      .optional()
      .describe(
        'Which receiver it is, so that its limits are kept; recognised by the URL where nothing is said.',
      ),
    rows_per_second_max: z
      .number()
      .min(0.1)
      .max(1_000)
      .optional()
      .describe('Never more rows a second than this. The pace finds itself below it.'),
  })
  .meta({ id: 'WebhookOptions' });

export type WebhookOptions = z.output<typeof webhookOptions>;
