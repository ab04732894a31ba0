import {
  caFile,
  databaseConnectionsMax,
  hashKey,
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
import { z } from 'zod';

const searchEngineSettings = {
  SEARCH_ENGINE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(text => !/^https?:\/\/[^/?#]*@/i.test(text), {
      error: 'must have no user or password: set SEARCH_ENGINE_USER and SEARCH_ENGINE_PASSWORD',
    })
    .optional()
    .describe('URL of an OpenSearch 3 cluster that people are searched in, instead of in memory.'),
  SEARCH_ENGINE_USER: z.string().min(1).optional().describe('User of the search engine.'),
  SEARCH_ENGINE_PASSWORD: z.string().min(1).optional().describe('Password of that user.'),
  SEARCH_ENGINE_CA_FILE: caFile.describe(
    'File with the certificates, in PEM, that the certificate of the search engine is checked against.',
  ),
  SEARCH_ENGINE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens')
    .default('mailproof')
    .describe('Begins the names of the indices in the search engine.'),
  SEARCH_ENGINE_SHARDS: wholeNumber(1, 64).default(1).describe('Shards of a new index in the search engine.'),
};

interface SearchEngineUser {
  readonly SEARCH_ENGINE_USER?: string | undefined;
  readonly SEARCH_ENGINE_PASSWORD?: string | undefined;
}

/** Whether both or none are set: with one of the two, requests would be sent without either. */
function hasWholeUser({ SEARCH_ENGINE_USER, SEARCH_ENGINE_PASSWORD }: SearchEngineUser): boolean {
  return (SEARCH_ENGINE_USER === undefined) === (SEARCH_ENGINE_PASSWORD === undefined);
}

const wholeUser = {
  path: ['SEARCH_ENGINE_PASSWORD'],
  error: 'must be set together with SEARCH_ENGINE_USER',
};

const settings = z
  .object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    DATABASE_URL: postgresUrl.describe('Postgres, with the role of the profile store.'),
    DATABASE_CONNECTIONS_MAX: databaseConnectionsMax,
    REDIS_URL: redisUrl.describe('Redis, for the queues of runs.'),
    CREDIT_LEDGER_URL: z.url().describe('URL of the credit ledger, where runs hold and settle credits.'),
    SUPPRESSION_HASH_KEY: hashKey.describe(
      'Key for the hashes under which people are suppressed. Never change it: with another key every suppression is lost.',
    ),
    PEOPLE_RETENTION_DAYS: wholeNumber(1, 36_500)
      .default(1_095)
      .describe(
        'Days after which a person is deleted, counted from the first load; later loads do not extend this.',
      ),
    PROVIDER_ENCRYPTION_KEYS: keyRing.describe(
      'Key ring that encrypts the secrets of customers’ own providers, `kid:base64` of 32 octets, comma-separated.',
    ),
    LOOKALIKE_REFRESH_INTERVAL_MS: wholeNumber(100, 3_600_000)
      .default(5_000)
      .describe('Interval between checks for changed companies, for the lookalike ranking.'),
    LOOKALIKE_QUESTION_DEADLINE_MS: wholeNumber(100, 60_000)
      .default(10_000)
      .describe('Deadline of the lookalike ranking.'),
    LOOKALIKE_REBUILD_SHARE: z.coerce
      .number()
      .min(0.01)
      .max(10)
      .default(0.2)
      .describe('Fraction of companies changed since the last lookalike model that triggers a new one.'),
    LOOKALIKE_VECTORS: z
      .enum(['auto', 'memory', 'postgres'])
      .default('auto')
      .describe(
        'Where company vectors are stored: in memory, in Postgres with the extension `vector`, or there from 200,000 companies on if the extension is installed.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'IP ranges in which customers’ providers and public pages are allowed in addition to public addresses.',
    ),
    PEOPLE_INDEX_PEOPLE_MAX: wholeNumber(1, 50_000_000)
      .default(3_000_000)
      .describe('People that the search holds in memory; people beyond this limit are not found.'),
    PEOPLE_INDEX_REFRESH_MS: wholeNumber(50, 600_000)
      .default(1_000)
      .describe('Interval at which the search checks for changed people and companies.'),
    ...searchEngineSettings,
    PUBLIC_PAGES_ENABLED: z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true')
      .describe('Whether public profile pages, and websites of seeds, are read.'),
    PUBLIC_PAGES_CONTACT_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('URL that tells page owners who reads their pages; part of our user agent.'),
    PUBLIC_PAGES_DENIED_HOSTS: z
      .string()
      .default('')
      .transform(text =>
        text
          .split(',')
          .map(name => name.trim().toLowerCase().replace(/\.$/, ''))
          .filter(Boolean),
      )
      .describe('Hosts whose pages are not read, including subdomains, in addition to the built-in list.'),
    PAGE_ANSWERS_KEPT_HOURS: wholeNumber(0, 8_760)
      .default(168)
      .describe('Hours for which the contents of a public page are cached.'),
    PROFILE_PROVIDERS_FILE: z
      .string()
      .min(1)
      .optional()
      .describe(
        'JSON file with providers that are queried for all accounts, at your expense, after an account’s own: the body of `PUT /profile-provider`, with the values of secret headers.',
      ),
    PROVIDER_ANSWERS_KEPT_HOURS: wholeNumber(0, 8_760)
      .default(720)
      .describe(
        'Hours for which a response of a provider is cached: of an account’s own for that account, of yours for all.',
      ),
  })
  .refine(config => !config.PUBLIC_PAGES_ENABLED || config.PUBLIC_PAGES_CONTACT_URL !== undefined, {
    path: ['PUBLIC_PAGES_CONTACT_URL'],
    error: 'must be set if public pages are read: page owners must be able to find out who reads them',
  })
  .refine(hasWholeUser, wholeUser)
  .refine(...signsAs('enrichment'));

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

const operatorSettings = z
  .object({
    DATABASE_URL: settings.shape.DATABASE_URL,
    SUPPRESSION_HASH_KEY: settings.shape.SUPPRESSION_HASH_KEY,
    PEOPLE_RETENTION_DAYS: settings.shape.PEOPLE_RETENTION_DAYS,
    ...searchEngineSettings,
  })
  .refine(hasWholeUser, wholeUser);

/** The settings that the operator's commands need. */
export type OperatorConfig = z.output<typeof operatorSettings>;

export function loadOperatorConfig(environment: NodeJS.ProcessEnv): OperatorConfig {
  return readConfig(operatorSettings, environment);
}
