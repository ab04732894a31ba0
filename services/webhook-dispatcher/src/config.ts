import {
  keyRing,
  outboxIntervalMs,
  privateRanges,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';

/** An address that paths are put behind. */
const baseUrl = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''));

const settings = z
  .object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/ })
      .describe('Postgres, as the role of the webhook dispatcher.'),
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/ })
      .describe('Redis, for the queues of exports and, sealed, for where pushes go to.'),
    VALIDATION_ENGINE_URL: z
      .url()
      .describe('Where rows of validation jobs come from: the validation engine.'),
    ENRICHMENT_URL: z.url().describe('Where saved people and companies come from: the enrichment service.'),
    DESTINATION_ENCRYPTION_KEYS: keyRing.describe(
      'The ring that seals where pushes go to while they are under way, `kid:base64` of 32 octets, comma-separated.',
    ),
    EXPORT_KEPT_DAYS: wholeNumber(1, 3_650)
      .default(limits.jobKeptDaysDefault)
      .describe('Days for which an export and the list of its rows are kept.'),
    CRM_TOKEN_ENCRYPTION_KEYS: keyRing.describe(
      'The ring that seals what gives access to CRMs, `kid:base64` of 32 octets, comma-separated.',
    ),
    PUBLIC_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .transform(url => url.replace(/\/+$/, ''))
      .describe('The address under which customers reach the gateway; CRMs send browsers back to it.'),
    HUBSPOT_CLIENT_ID: z
      .string()
      .max(500)
      .optional()
      .describe('The app at HubSpot; without it HubSpot cannot be connected.'),
    HUBSPOT_CLIENT_SECRET: z.string().max(500).optional().describe('The secret of the app at HubSpot.'),
    HUBSPOT_API_BASE_URL: baseUrl.default('https://api.hubapi.com').describe('Where HubSpot’s interface is.'),
    HUBSPOT_APP_BASE_URL: baseUrl
      .default('https://app.hubspot.com')
      .describe('Where people sign in to HubSpot and allow the app.'),
    SALESFORCE_CLIENT_ID: z
      .string()
      .max(500)
      .optional()
      .describe('The app at Salesforce (its consumer key); without it Salesforce cannot be connected.'),
    SALESFORCE_CLIENT_SECRET: z
      .string()
      .max(500)
      .optional()
      .describe('The secret of the app at Salesforce (its consumer secret).'),
    SALESFORCE_LOGIN_URL: baseUrl
      .default('https://login.salesforce.com')
      .describe(
        'Where people sign in to Salesforce: `https://test.salesforce.com` for sandboxes, or a My Domain.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'Ranges in which receivers and CRMs may stand besides public addresses.',
    ),
    PUSH_REQUESTS_PER_HOST_MAX: wholeNumber(1, 1_000)
      .default(32)
      .describe('Rows on their way to one host at once from one process, over all pushes.'),
    PUSH_ANSWER_MS_MAX: wholeNumber(100, 60_000)
      .default(15_000)
      .describe('Time for a receiver to answer one row.'),
    PUSH_PAUSED_HOURS_MAX: wholeNumber(1, 168)
      .default(24)
      .describe('For how long receivers may make one push wait in all; then it fails.'),
    PUSH_DESTINATION_DAYS_MAX: wholeNumber(1, 30)
      .default(7)
      .describe('For how long where a paused push goes to is kept; longer than receivers may make it wait.'),
  })
  .refine(config => config.SERVICE_SIGNING_KEY.kid === 'webhook-dispatcher', {
    path: ['SERVICE_SIGNING_KEY'],
    error: 'must have the kid webhook-dispatcher: a service signs in its own name',
  })
  .refine(
    config => (config.HUBSPOT_CLIENT_ID === undefined) === (config.HUBSPOT_CLIENT_SECRET === undefined),
    {
      path: ['HUBSPOT_CLIENT_SECRET'],
      error: 'must be set with HUBSPOT_CLIENT_ID, and only with it',
    },
  )
  .refine(
    config => (config.SALESFORCE_CLIENT_ID === undefined) === (config.SALESFORCE_CLIENT_SECRET === undefined),
    {
      path: ['SALESFORCE_CLIENT_SECRET'],
      error: 'must be set with SALESFORCE_CLIENT_ID, and only with it',
    },
  )
  .refine(config => config.PUSH_DESTINATION_DAYS_MAX * 24 > config.PUSH_PAUSED_HOURS_MAX, {
    path: ['PUSH_DESTINATION_DAYS_MAX'],
    error: 'must be longer than PUSH_PAUSED_HOURS_MAX: a push that waits needs to know where it goes',
  });

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}
