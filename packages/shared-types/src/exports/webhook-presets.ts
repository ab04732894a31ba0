/** Known limits of a receiver, so that a push respects them from the first row. */
export interface WebhookPreset {
  readonly name: string;
  /** The initial and the maximum number of rows per second. */
  readonly startPerSecond: number;
  readonly perSecondMax: number;
  /** The maximum number of concurrent requests. */
  readonly concurrencyMax: number;
  /** How long a push waits after a 429 without a `Retry-After`, in milliseconds. */
  readonly pauseMs: number;
  /** Rows that one URL of this receiver accepts in its lifetime, from all senders; null if no such limit is known. */
  readonly lifetimeRowsMax: number | null;
  /** A notice to show before a push. */
  readonly notice: string | null;
}

/** The maximum rows per second for any push. */
const perSecondMax = 5_000;

/** The receivers by their names in the contract. Their limits were published by the vendors or reported by users. */
export const webhookPresets = {
  none: {
    name: 'Any receiver',
    startPerSecond: 8,
    perSecondMax,
    concurrencyMax: 32,
    pauseMs: 1_000,
    lifetimeRowsMax: null,
    notice: null,
  },
  clay: {
    name: 'Clay',
    startPerSecond: 8,
    perSecondMax: 10,
    concurrencyMax: 10,
    pauseMs: 2_000,
    lifetimeRowsMax: 50_000,
    notice:
      'A Clay webhook accepts 50,000 rows over its lifetime, from all senders. When it is used up, create another one on the same table.',
  },
  zapier: {
    name: 'Zapier',
    startPerSecond: 10,
    perSecondMax: 30,
    concurrencyMax: 10,
    pauseMs: 5_000,
    lifetimeRowsMax: null,
    notice:
      'Zapier accepts about 30 rows per second and 10,000 per five minutes. It may confirm a row before its Zap has run.',
  },
  airtable: {
    name: 'Airtable',
    startPerSecond: 4,
    // This is below the receiver's limit, because a single excess request costs half a minute.
    perSecondMax: 4,
    concurrencyMax: 4,
    pauseMs: 30_000,
    lifetimeRowsMax: null,
    notice:
      'Airtable accepts 5 requests per second per base, from all senders. If you exceed that, it accepts none for 30 seconds.',
  },
  google_apps_script: {
    name: 'Google Apps Script',
    startPerSecond: 4,
    perSecondMax: 10,
    concurrencyMax: 10,
    pauseMs: 10_000,
    lifetimeRowsMax: null,
    notice:
      'A script runs at most 30 times in parallel and cannot read headers. Its `doPost` must return a ContentService text; any other response counts as a failure.',
  },
  make: {
    name: 'Make',
    startPerSecond: 8,
    perSecondMax: 30,
    concurrencyMax: 10,
    pauseMs: 5_000,
    lifetimeRowsMax: null,
    notice: 'Make accepts about 30 rows per second and disables a webhook whose queue is full.',
  },
  n8n: {
    name: 'n8n',
    startPerSecond: 8,
    perSecondMax: 50,
    concurrencyMax: 10,
    pauseMs: 2_000,
    lifetimeRowsMax: null,
    notice:
      'A self-hosted n8n accepts as much as its server can handle. Set a rate limit if the workflow does much work per row.',
  },
} as const satisfies Record<string, WebhookPreset>;

export type WebhookPresetName = keyof typeof webhookPresets;

export const webhookPresetNames = Object.keys(webhookPresets) as [WebhookPresetName, ...WebhookPresetName[]];
