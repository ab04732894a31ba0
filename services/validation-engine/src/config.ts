import {
  outboxIntervalMs,
  privateRanges,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  caFile,
  chosenSources,
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
/** What a validation needs, whether the service or the command line runs it. */
const validationSettings = {
  VALIDATION_DNS_SERVERS: dnsServers.describe('Name servers to ask, or `system` for the machine’s own.'),
  VALIDATION_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
    'Ranges that may be contacted besides public addresses.',
  ),
  VALIDATION_SMTP_PORT: wholeNumber(1, 65_535)
    .default(smtpPortDefault)
    .describe('Port of the mail hosts; another than 25 for labs only.'),
  VALIDATION_HELO_NAME: heloName.describe('The name that EHLO says.'),
  VALIDATION_MAIL_FROM: mailFrom.describe('The sender that MAIL says; empty for the null sender.'),
  VALIDATION_HTTPS_PORT: wholeNumber(1, 65_535)
    .default(httpsPortDefault)
    .describe('Port of the web servers that publish evidence; another than 443 for labs only.'),
  VALIDATION_CA_FILE: caFile.describe('Authorities to trust besides the usual ones, for web evidence.'),
  VALIDATION_EVIDENCE_SOURCES: chosenSources.describe('What is asked about addresses at catch-all domains.'),
  VALIDATION_WEIGHTS_FILE: weightsFile.describe('Fitted weights in place of the built-in ones.'),
  VALIDATION_CATCH_ALL_PRIOR: share
    .optional()
    .describe('The share of addresses at catch-all domains that exist, ahead of all evidence.'),
  VALIDATION_LISTS_DIR: listsDir.describe(
    'Folder of refreshed lists, which take the place of the packaged ones.',
  ),
  VALIDATION_SESSIONS_PER_HOST_MAX: wholeNumber(1, 100)
    .default(5)
    .describe('Sessions that one mail host sees from us at once, over all replicas.'),
  VALIDATION_SESSIONS_MAX: wholeNumber(1, 10_000)
    .default(500)
    .describe('Sessions with mail hosts that one process has open at once.'),
  VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: wholeNumber(1, 6_000)
    .default(120)
    .describe('Sessions that may begin at one mail host in any minute, over all replicas.'),
  VALIDATION_SOCKS5_URL: socksProxy.describe('A SOCKS5 proxy through which mail hosts are contacted.'),
  VALIDATION_LOCAL_ADDRESS: localAddresses.describe('Addresses of this machine to contact mail hosts from.'),
  VALIDATION_DEADLINE_MS: wholeNumber(1_000, 120_000)
    .default(limits.validationDeadlineMsDefault)
    .describe('The most time that one validation takes, whatever its caller allows.'),
} as const;

const databaseSettings = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as the engine’s own role.'),
};

const settings = withSafePort(
  z.object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    ...validationSettings,
    ...databaseSettings,
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(5),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/ })
      .describe('Redis, for remembered verdicts, host places and queues.'),
    ADDRESS_HASH_KEY: z
      .string()
      .min(32, 'must be at least 32 characters long')
      .transform(text => new TextEncoder().encode(text))
      .describe('Keys the hashes under which addresses are remembered.'),
    VALIDATION_MEMORY_DECIDED_SECONDS: wholeNumber(0, 604_800)
      .default(86_400)
      .describe('How long a verdict is remembered; 0 remembers none.'),
    VALIDATION_MEMORY_UNKNOWN_SECONDS: wholeNumber(0, 60)
      .default(10)
      .describe('How long an `unknown` is remembered.'),
    VALIDATION_MEMORY_DOMAIN_SECONDS: wholeNumber(0, 604_800)
      .default(21_600)
      .describe(
        'How long it is remembered what a host says to made-up recipients of a domain; 0 remembers it not.',
      ),
    VALIDATION_STANDING_CHECK_HOURS: wholeNumber(0, 168)
      .optional()
      .describe('Time between two looks at our standing with the world; 0 for never.'),
    VALIDATION_HARVEST_ADDRESSES_MAX: wholeNumber(0, 1_000_000)
      .default(200)
      .describe('Addresses of one domain that an account may ask about in a day, most of them missing.'),
    VALIDATION_HARVEST_FREEMAIL_ADDRESSES_MAX: wholeNumber(0, 10_000_000)
      .default(5_000)
      .describe('The same at domains whose mailboxes belong to anybody.'),
    VALIDATION_HARVEST_MISSING_SHARE_MAX: share
      .default(0.5)
      .describe('The share of missing addresses above which those limits hold.'),
    VALIDATION_OUTCOME_RETENTION_DAYS: wholeNumber(1, 3_650)
      .default(730)
      .describe('How long reported outcomes and what was found out about their addresses are kept.'),
    CREDIT_LEDGER_URL: z.url({ protocol: /^https?$/ }).describe('The credit ledger, which pays for jobs.'),
    VALIDATION_JOB_CHUNKS_AT_ONCE_MAX: wholeNumber(1, 100)
      .default(8)
      .describe('Chunks of validation jobs, of up to 100 addresses, that one process asks about at once.'),
    VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX: wholeNumber(1, 100)
      .default(50)
      .describe('Addresses of one chunk that are asked about at once.'),
    VALIDATION_JOB_KEPT_DAYS: wholeNumber(1, 3_650)
      .default(limits.jobKeptDaysDefault)
      .describe('How long a validation job and its rows are kept, counted from when it was made.'),
    VALIDATION_IN_FLIGHT_MAX: wholeNumber(1, 10_000)
      .default(200)
      .describe('Validations under way at once; further ones are answered 503.'),
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

/** What the operator's commands and fitting weights need: the database alone. */
export function loadOperatorConfig(environment: NodeJS.ProcessEnv): { DATABASE_URL: string } {
  return readConfig(z.object(databaseSettings), environment);
}

/** Reads the settings of validations alone: the command line is no service and has no keys. */
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
        message: 'must not be set beside VALIDATION_SOCKS5_URL, because hosts see the address of the proxy',
      },
    )
    .refine(
      ({ VALIDATION_SOCKS5_URL, VALIDATION_HELO_NAME }) =>
        VALIDATION_SOCKS5_URL === undefined || VALIDATION_HELO_NAME !== undefined,
      {
        path: ['VALIDATION_HELO_NAME'],
        message: 'must be set beside VALIDATION_SOCKS5_URL, because sessions do not know the proxy’s address',
      },
    )
    .refine(
      ({ VALIDATION_SMTP_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
        VALIDATION_SMTP_PORT === smtpPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
      {
        path: ['VALIDATION_SMTP_PORT'],
        message:
          'must be 25 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because mail hosts of the internet take mail at no other port',
      },
    )
    .refine(
      ({ VALIDATION_HTTPS_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
        VALIDATION_HTTPS_PORT === httpsPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
      {
        path: ['VALIDATION_HTTPS_PORT'],
        message:
          'must be 443 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because directories of the internet are at no other port',
      },
    );
}
