import {
  caFile,
  hashKey,
  outboxIntervalMs,
  postgresUrl,
  privateRanges,
  readConfig,
  redisUrl,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  chosenSources,
  contactUrl,
  dnsServers,
  heloName,
  listsDir,
  localAddresses,
  mailFrom,
  share,
  socksProxy,
  weightsFile,
} from './setting-forms.ts';

const smtpPortDefault = 25;
const httpsPortDefault = 443;
/** The settings of a validation, for both the service and the command line. */
const validationSettings = {
  VALIDATION_DNS_SERVERS: dnsServers.describe('Name servers to query, or `system` for the machine’s own.'),
  VALIDATION_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
    'IP ranges that may be contacted in addition to public addresses.',
  ),
  VALIDATION_SMTP_PORT: wholeNumber(1, 65_535)
    .default(smtpPortDefault)
    .describe('Port of the mail hosts; other than 25 for labs only.'),
  VALIDATION_HELO_NAME: heloName.describe('The name that EHLO says.'),
  VALIDATION_MAIL_FROM: mailFrom.describe('The sender in MAIL; empty for the null sender.'),
  VALIDATION_HTTPS_PORT: wholeNumber(1, 65_535)
    .default(httpsPortDefault)
    .describe('Port of the web servers that publish evidence; other than 443 for labs only.'),
  VALIDATION_CA_FILE: caFile.describe(
    'Certificate authorities to trust for web evidence in addition to the usual ones.',
  ),
  PUBLIC_PAGES_CONTACT_URL: contactUrl.describe(
    'URL that tells owners of sites who reads their pages; part of the user agent.',
  ),
  VALIDATION_EVIDENCE_SOURCES: chosenSources.describe('Evidence sources for addresses at catch-all domains.'),
  VALIDATION_WEIGHTS_FILE: weightsFile.describe('Fitted weights that replace the built-in ones.'),
  VALIDATION_CATCH_ALL_PRIOR: share
    .optional()
    .describe('Prior probability that an address at a catch-all domain exists.'),
  VALIDATION_LISTS_DIR: listsDir.describe('Folder of refreshed lists, which replace the packaged ones.'),
  VALIDATION_SESSIONS_PER_HOST_MAX: wholeNumber(1, 100)
    .default(5)
    .describe('Open sessions per mail host, across all replicas.'),
  VALIDATION_SESSIONS_MAX: wholeNumber(1, 10_000)
    .default(500)
    .describe('Open sessions with mail hosts per process.'),
  VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: wholeNumber(1, 6_000)
    .default(120)
    .describe('New sessions per minute and mail host, across all replicas.'),
  VALIDATION_SOCKS5_URL: socksProxy.describe('SOCKS5 proxy for connections to mail hosts.'),
  VALIDATION_LOCAL_ADDRESS: localAddresses.describe('Local IP addresses for connections to mail hosts.'),
  VALIDATION_DEADLINE_MS: wholeNumber(1_000, 120_000)
    .default(limits.validationDeadlineMsDefault)
    .describe('Maximum duration of a validation, regardless of the caller’s deadline.'),
} as const;

const databaseSettings = {
  DATABASE_URL: postgresUrl.describe('Postgres, with the engine’s own role.'),
};

const settings = withSafePort(
  z.object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    ...validationSettings,
    ...databaseSettings,
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(5),
    REDIS_URL: redisUrl.describe('Redis, for cached verdicts, host limits and queues.'),
    ADDRESS_HASH_KEY: hashKey.describe('Key for the hashes under which addresses are cached.'),
    VALIDATION_MEMORY_DECIDED_SECONDS: wholeNumber(0, 604_800)
      .default(86_400)
      .describe('How long a verdict is cached; 0 disables the cache.'),
    VALIDATION_MEMORY_UNKNOWN_SECONDS: wholeNumber(0, 60)
      .default(10)
      .describe('How long an `unknown` is cached.'),
    VALIDATION_MEMORY_DOMAIN_SECONDS: wholeNumber(0, 604_800)
      .default(21_600)
      .describe(
        'How long a host’s answer to made-up recipients of a domain is cached; 0 disables the cache.',
      ),
    VALIDATION_STANDING_CHECK_HOURS: wholeNumber(0, 168)
      .optional()
      .describe('Interval between reputation checks; 0 disables them.'),
    VALIDATION_HARVEST_ADDRESSES_MAX: wholeNumber(0, 1_000_000)
      .default(200)
      .describe('Addresses per domain and day that an account can validate when most of them do not exist.'),
    VALIDATION_HARVEST_FREEMAIL_ADDRESSES_MAX: wholeNumber(0, 10_000_000)
      .default(5_000)
      .describe('The same for domains that offer mailboxes to the public.'),
    VALIDATION_OUTCOME_RETENTION_DAYS: wholeNumber(1, 3_650)
      .default(730)
      .describe('How long reported outcomes and evidence about their addresses are kept.'),
    CREDIT_LEDGER_URL: z
      .url({ protocol: /^https?$/ })
      .describe('URL of the credit ledger, which pays for jobs.'),
    ENRICHMENT_URL: z
      .url({ protocol: /^https?$/ })
      .describe('URL of the enrichment service, which knows who works at a domain.'),
    VALIDATION_JOB_CHUNKS_AT_ONCE_MAX: wholeNumber(1, 100)
      .default(8)
      .describe('Chunks of validation jobs, of up to 100 addresses, that one process works on in parallel.'),
    VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX: wholeNumber(1, 100)
      .default(50)
      .describe('Addresses of one chunk that are validated in parallel.'),
    VALIDATION_JOB_KEPT_DAYS: wholeNumber(1, 3_650)
      .default(limits.jobKeptDaysDefault)
      .describe('How long a validation job and its rows are kept after creation.'),
    VALIDATION_IN_FLIGHT_MAX: wholeNumber(1, 10_000)
      .default(200)
      .describe('Validations in parallel; requests above this limit get a 503.'),
  }),
);

const validationAlone = withSafePort(z.object(validationSettings));

export type Config = z.output<typeof settings>;

interface PortAndRanges {
  readonly VALIDATION_SOCKS5_URL: unknown;
  readonly VALIDATION_LOCAL_ADDRESS: unknown;
  readonly VALIDATION_HELO_NAME: string | undefined;
  readonly VALIDATION_SMTP_PORT: number;
  readonly VALIDATION_HTTPS_PORT: number;
  readonly VALIDATION_ALLOWED_PRIVATE_RANGES: readonly string[];
}

export type ValidationConfig = z.output<typeof validationAlone>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

/** Reads the settings of the operator's commands and of fitting weights, which need only the database. */
export function loadOperatorConfig(environment: NodeJS.ProcessEnv): { DATABASE_URL: string } {
  return readConfig(z.object(databaseSettings), environment);
}

/** Reads only the settings of validations: the command line is not a service and has no keys. */
export function loadValidationConfig(environment: NodeJS.ProcessEnv): ValidationConfig {
  return readConfig(validationAlone, environment);
}

function withSafePort<Values extends PortAndRanges>(schema: z.ZodType<Values>): z.ZodType<Values> {
  return schema
    .refine(
      ({ VALIDATION_SOCKS5_URL, VALIDATION_LOCAL_ADDRESS }) =>
        VALIDATION_SOCKS5_URL === undefined || VALIDATION_LOCAL_ADDRESS === undefined,
      {
        path: ['VALIDATION_LOCAL_ADDRESS'],
        message: 'must not be set with VALIDATION_SOCKS5_URL, because hosts see the proxy’s address',
      },
    )
    .refine(
      ({ VALIDATION_SOCKS5_URL, VALIDATION_HELO_NAME }) =>
        VALIDATION_SOCKS5_URL === undefined || VALIDATION_HELO_NAME !== undefined,
      {
        path: ['VALIDATION_HELO_NAME'],
        message: 'must be set with VALIDATION_SOCKS5_URL, because sessions do not know the proxy’s address',
      },
    )
    .refine(
      ({ VALIDATION_SMTP_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
        VALIDATION_SMTP_PORT === smtpPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
      {
        path: ['VALIDATION_SMTP_PORT'],
        message:
          'must be 25 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because mail hosts on the internet accept mail on no other port',
      },
    )
    .refine(
      ({ VALIDATION_HTTPS_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
        VALIDATION_HTTPS_PORT === httpsPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
      {
        path: ['VALIDATION_HTTPS_PORT'],
        message:
          'must be 443 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because directories on the internet use no other port',
      },
    );
}
