import {
  keyRing,
  outboxIntervalMs,
  privateRanges,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { z } from 'zod';

const settings = z
  .object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
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
    LOOKALIKE_VECTORS: z
      .enum(['auto', 'memory', 'postgres'])
      .default('auto')
      .describe(
        'Where places of companies lie: in memory, in Postgres by its extension `vector`, or there from 200,000 companies on if it stands.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'Ranges in which customers’ providers and public pages may stand besides public addresses.',
    ),
    PEOPLE_INDEX_PEOPLE_MAX: wholeNumber(1, 50_000_000)
      .default(3_000_000)
      .describe('People that the search holds in memory; those beyond it are not found.'),
    PEOPLE_INDEX_REFRESH_MS: wholeNumber(50, 600_000)
      .default(1_000)
      .describe('Time between two looks of the search for changed people and companies.'),
    PUBLIC_PAGES_ENABLED: z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true')
      .describe('Whether public pages of profiles are read.'),
    PUBLIC_PAGES_CONTACT_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where the owner of a page finds out who reads it; part of the name that we visit pages by.'),
    PUBLIC_PAGES_DENIED_HOSTS: z
      .string()
      .default('')
      .transform(text =>
        text
          .split(',')
          .map(name => name.trim().toLowerCase().replace(/\.$/, ''))
          .filter(Boolean),
      )
      .describe(
        'Hosts whose pages are not read, sub-domains included, besides those that are denied anyway.',
      ),
    PAGE_ANSWERS_KEPT_HOURS: wholeNumber(0, 8_760)
      .default(168)
      .describe('Hours for which it is remembered what a public page said.'),
    PROVIDER_ANSWERS_KEPT_HOURS: wholeNumber(0, 8_760)
      .default(720)
      .describe('Hours for which it is remembered what an account’s provider said, for that account.'),
    PROFILES_NOT_FOUND_KEPT_HOURS: wholeNumber(0, 8_760)
      .default(24)
      .describe('Hours for which it is remembered that a provider or a page does not know a profile.'),
    PROFILE_ANSWERS_MAX: wholeNumber(1_000, 100_000_000)
      .default(1_000_000)
      .describe(
        'Remembered answers of providers, and of pages, each; those that would be over next give way.',
      ),
  })
  .refine(config => !config.PUBLIC_PAGES_ENABLED || config.PUBLIC_PAGES_CONTACT_URL !== undefined, {
    path: ['PUBLIC_PAGES_CONTACT_URL'],
    error: 'must be set where public pages are read: their owners have to find out who reads them',
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
