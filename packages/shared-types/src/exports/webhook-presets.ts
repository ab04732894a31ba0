/** What is known of a receiver, so that a push keeps to its limits from the first row on. */
export interface WebhookPreset {
  readonly name: string;
  /** Rows a second that a push begins with, and that it never goes beyond. */
  readonly startPerSecond: number;
  readonly perSecondMax: number;
  /** Requests that are on their way at once. */
  readonly atOnceMax: number;
  /** How long a push waits after a 429 that does not say for how long, in milliseconds. */
  readonly pauseMs: number;
  /** Rows that one address of this receiver takes in its life, whoever sends them; null where no such limit is known. */
  readonly lifetimeRowsMax: number | null;
  /** What to know ahead of a push. */
  readonly notice: string | null;
}

/** Rows a second that no push goes beyond. */
const perSecondMax = 1_000;

/** Receivers by what they are called in the contract. The facts were published by their makers, or seen by their users. */
export const webhookPresets = {
  none: {
    name: 'Any receiver',
    startPerSecond: 8,
    perSecondMax,
    atOnceMax: 32,
    pauseMs: 1_000,
    lifetimeRowsMax: null,
    notice: null,
  },
  clay: {
    name: 'Clay',
    startPerSecond: 8,
    perSecondMax: 10,
    atOnceMax: 10,
    pauseMs: 2_000,
    lifetimeRowsMax: 50_000,
    notice:
      'A webhook of Clay takes 50,000 rows in its life, from everybody together; make another one on the same table when it is used up.',
  },
  zapier: {
    name: 'Zapier',
    startPerSecond: 10,
    perSecondMax: 30,
    atOnceMax: 10,
    pauseMs: 5_000,
    lifetimeRowsMax: null,
    notice:
      'Zapier takes about 30 rows a second and 10,000 in five minutes, and may answer that it has a row before its Zap has run.',
  },
  airtable: {
    name: 'Airtable',
    startPerSecond: 4,
    // Below its limit, since a single request too many costs half a minute.
    perSecondMax: 4,
    atOnceMax: 4,
    pauseMs: 30_000,
    lifetimeRowsMax: null,
    notice:
      'Airtable takes 5 requests a second for a base, whoever sends them, and none for half a minute after more.',
  },
  google_apps_script: {
    name: 'Google Apps Script',
    startPerSecond: 4,
    perSecondMax: 10,
    atOnceMax: 10,
    pauseMs: 10_000,
    lifetimeRowsMax: null,
    notice:
      'A script runs 30 times at once at most and cannot read headers. Its `doPost` has to return a text of ContentService; anything else counts as a failure.',
  },
  make: {
    name: 'Make',
    startPerSecond: 8,
    perSecondMax: 30,
    atOnceMax: 10,
    pauseMs: 5_000,
    lifetimeRowsMax: null,
    notice: 'Make takes about 30 rows a second, and stops a webhook whose queue is full.',
  },
  n8n: {
    name: 'n8n',
    startPerSecond: 8,
    perSecondMax: 50,
    atOnceMax: 10,
    pauseMs: 2_000,
    lifetimeRowsMax: null,
    notice:
      'An n8n of your own takes what its machine can: set a ceiling if its workflow does much for each row.',
  },
} as const satisfies Record<string, WebhookPreset>;

export type WebhookPresetName = keyof typeof webhookPresets;

export const webhookPresetNames = Object.keys(webhookPresets) as [WebhookPresetName, ...WebhookPresetName[]];
