import { keyRing, privateRanges, readConfig, serviceSettings, wholeNumber } from '@mailproof/service-kit';
import { z } from 'zod';

const settings = z
  .object({
    ...serviceSettings,
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/ })
      .describe('Postgres, as the role of the profile store.'),
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
    REDIS_URL: z.url({ protocol: /^rediss?$/ }).describe('Redis, for the queues of runs.'),
    CREDIT_LEDGER_URL: z
      .url()
      .describe('Where the credit ledger listens: runs hold and settle credits there.'),
    SUPPRESSION_HASH_KEY: z
      .string()
      .min(32, 'must be at least 32 characters long')
      .transform(text => new TextEncoder().encode(text))
      .describe(
        'Keys the hashes under which people are suppressed. With another key every suppression is forgotten: never change it.',
      ),
    PEOPLE_RETENTION_DAYS: wholeNumber(1, 36_500)
      .default(1_095)
      .describe(
        'Days after which a person is deleted, counted from the first load; no later load renews them.',
      ),
    PROVIDER_ENCRYPTION_KEYS: keyRing.describe(
      'The ring that seals the secrets of customers’ own providers, `kid:base64` of 32 octets, comma-separated.',
    ),
    LOOKALIKE_REFRESH_INTERVAL_MS: wholeNumber(100, 3_600_000)
      .default(5_000)
      .describe(
        'Time between two looks at the store for companies that changed, for the ranking of lookalikes.',
      ),
    LOOKALIKE_QUESTION_DEADLINE_MS: wholeNumber(100, 60_000)
      .default(10_000)
      .describe('Time that the ranking of lookalikes may take to answer.'),
    LOOKALIKE_REBUILD_SHARE: z.coerce
      .number()
      .min(0.01)
      .max(10)
      .default(0.2)
      .describe(
        'Companies that changed since the model of lookalikes was built, by those in it, that ask for a new one.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'Ranges in which customers’ providers and public pages may stand besides public addresses.',
    ),
  })
  .refine(config => config.SERVICE_SIGNING_KEY.kid === 'enrichment', {
    path: ['SERVICE_SIGNING_KEY'],
    error: 'must have the kid enrichment: a service signs in its own name',
  });

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

const operatorSettings = z.object({
  DATABASE_URL: settings.shape.DATABASE_URL,
  SUPPRESSION_HASH_KEY: settings.shape.SUPPRESSION_HASH_KEY,
  PEOPLE_RETENTION_DAYS: settings.shape.PEOPLE_RETENTION_DAYS,
});

/** The settings that the operator's commands need. */
export type OperatorConfig = z.output<typeof operatorSettings>;

export function loadOperatorConfig(environment: NodeJS.ProcessEnv): OperatorConfig {
  return readConfig(operatorSettings, environment);
}
