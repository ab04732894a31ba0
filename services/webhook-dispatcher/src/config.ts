import {
  baseUrl,
  databaseConnectionsMax,
  keyRing,
  outboxIntervalMs,
  postgresUrl,
  privateRanges,
  readConfig,
  redisUrl,
  serviceSettings,
  signsAs,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';

const settings = z
  .object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    DATABASE_URL: postgresUrl.describe('Postgres, with the role of the webhook dispatcher.'),
    DATABASE_CONNECTIONS_MAX: databaseConnectionsMax,
    REDIS_URL: redisUrl.describe(
      'Redis, for the queues of exports, the encrypted destinations of pushes, and signatures of mail providers.',
    ),
    VALIDATION_ENGINE_URL: z
      .url()
      .describe('URL of the validation engine, for rows of validation jobs and reported outcomes.'),
    ENRICHMENT_URL: z.url().describe('URL of the enrichment service, for saved people, companies and lists.'),
    CREDIT_LEDGER_URL: z.url().describe('URL of the credit ledger, for events of low credits.'),
    DESTINATION_ENCRYPTION_KEYS: keyRing.describe(
      'Key ring that encrypts the destinations of pushes in progress and webhook endpoints, and the verification keys of outcome sources, `kid:base64` of 32 octets, comma-separated.',
    ),
    EXPORT_KEPT_DAYS: wholeNumber(1, 3_650)
      .default(limits.jobKeptDaysDefault)
      .describe('Days for which an export and its row list are kept.'),
    CRM_TOKEN_ENCRYPTION_KEYS: keyRing.describe(
      'Key ring that encrypts CRM credentials, `kid:base64` of 32 octets, comma-separated.',
    ),
    PUBLIC_BASE_URL: baseUrl.describe(
      'URL where customers reach the gateway; CRMs redirect browsers to it, and mail providers call it.',
    ),
    HUBSPOT_CLIENT_ID: z
      .string()
      .max(500)
      .optional()
      .describe('Client id of the HubSpot app; without it HubSpot cannot be connected.'),
    HUBSPOT_CLIENT_SECRET: z.string().max(500).optional().describe('Client secret of the HubSpot app.'),
    HUBSPOT_API_BASE_URL: baseUrl.default('https://api.hubapi.com').describe('URL of the HubSpot API.'),
    HUBSPOT_APP_BASE_URL: baseUrl
      .default('https://app.hubspot.com')
      .describe('URL where users sign in to HubSpot and authorize the app.'),
    SALESFORCE_CLIENT_ID: z
      .string()
      .max(500)
      .optional()
      .describe('Client id (consumer key) of the Salesforce app; without it Salesforce cannot be connected.'),
    SALESFORCE_CLIENT_SECRET: z
      .string()
      .max(500)
      .optional()
      .describe('Client secret (consumer secret) of the Salesforce app.'),
    SALESFORCE_LOGIN_URL: baseUrl
      .default('https://login.salesforce.com')
      .describe(
        'URL where users sign in to Salesforce: `https://test.salesforce.com` for sandboxes, or a My Domain.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'IP ranges in which receivers and CRMs are allowed in addition to public addresses.',
    ),
    PUSH_REQUESTS_PER_HOST_MAX: wholeNumber(1, 1_000)
      .default(32)
      .describe('Requests in parallel to one host from one process, across all pushes.'),
    PUSH_PAUSED_HOURS_MAX: wholeNumber(1, 168)
      .default(24)
      .describe('Total time that receivers can delay one push before it fails.'),
    PUSH_DESTINATION_DAYS_MAX: wholeNumber(1, 30)
      .default(7)
      .describe(
        'Time for which the destination of a paused push is kept; longer than receivers can delay it.',
      ),
  })
  .refine(...signsAs('webhook-dispatcher'))
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
    error: 'must be longer than PUSH_PAUSED_HOURS_MAX: a waiting push needs its destination',
  });

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}
