import {
  internalPort,
  keyRing,
  outboxIntervalMs,
  proxyList,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';

const databaseSettings = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as the gateway’s own role.'),
};

export const graceDaysDefault = 7;

const billingSettings = {
  BILLING_GRACE_DAYS: wholeNumber(0, 365)
    .default(graceDaysDefault)
    .describe('Days for which a plan goes on although its payment is missing.'),
};

/** Of people who sign in. */
const userSettings = {
  SESSION_DAYS_MAX: wholeNumber(1, 365)
    .default(30)
    .describe('A session ends this long after it began, in days.'),
  SESSION_IDLE_DAYS_MAX: wholeNumber(1, 365)
    .default(7)
    .describe('A session ends this long after its last request, in days.'),
  SESSION_REQUESTS_PER_SECOND_MAX: wholeNumber(1, 100_000)
    .default(20)
    .describe('Requests that one session may make in any one second.'),
  VISITOR_REQUESTS_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
    .default(60)
    .describe('Requests to sign in, sign up and the like that one client address may make in a minute.'),
  SIGN_IN_FAILURES_PER_USER_MAX: wholeNumber(1, 1_000)
    .default(10)
    .describe('Wrong passwords that are taken for one user in 15 minutes.'),
  SIGN_IN_FAILURES_PER_NETWORK_MAX: wholeNumber(1, 1_000_000)
    .default(100)
    .describe('Wrong passwords that are taken from one client address in an hour.'),
  PASSWORD_HASHES_AT_ONCE_MAX: wholeNumber(1, 64)
    .default(2)
    .describe('Password hashes that are made at once; each takes 19 MiB.'),
  MAIL_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'The host that takes our mail: `smtps://user:password@host:465`, or `smtp://` for STARTTLS. Without it nobody can sign up, reset a password or be invited.',
    ),
  MAIL_FROM: z
    .string()
    .max(320)
    .default('Mailproof <no-reply@localhost>')
    .describe('The sender of our mail.'),
  MAILS_PER_ADDRESS_PER_HOUR_MAX: wholeNumber(1, 1_000)
    .default(5)
    .describe('Mails that visitors can cause to one address in an hour; what comes after is not sent.'),
  MAILS_PER_ACCOUNT_PER_HOUR_MAX: wholeNumber(1, 10_000)
    .default(20)
    .describe('Invitations and changes of address that the members of one account can ask for in an hour.'),
  SECURITY_EVENT_DAYS_MAX: wholeNumber(1, 3_650)
    .default(365)
    .describe('Security events are kept for this long, in days.'),
} as const;

const settings = z
  .object({
    ...serviceSettings,
    INTERNAL_PORT: internalPort,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    ...databaseSettings,
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/ })
      .describe('Redis, for rate windows, counts of failed and of public requests, and queues.'),
    CREDIT_LEDGER_URL: z.url().describe('Where the credit ledger listens.'),
    VALIDATION_ENGINE_URL: z.url().describe('Where the validation engine listens.'),
    MCP_SERVER_URL: z.url().describe('Where the tool server listens for its peers.'),
    ENRICHMENT_URL: z.url().describe('Where profiles and leads are found: the enrichment service.'),
    WEBHOOK_DISPATCHER_URL: z.url().describe('Where rows leave for other systems: the webhook dispatcher.'),
    PUBLIC_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .transform(url => url.replace(/\/+$/, ''))
      .describe('The address under which customers reach this service; links in answers begin with it.'),
    TRUSTED_PROXIES: proxyList.describe('Proxies whose X-Forwarded-For is believed.'),
    VALIDATION_DEADLINE_MS: wholeNumber(1_000, 120_000)
      .default(limits.validationDeadlineMsDefault)
      .describe('A single validation answers within this time.'),
    AUTH_FAILURES_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe(
        'Failed authentication attempts, unknown paths and wrong methods of one client address in a minute.',
      ),
    PUBLIC_REQUESTS_PER_HOUR_MAX: wholeNumber(1, 1_000_000)
      .default(30)
      .describe('Requests without a key that one client address may make in an hour.'),
    UPLOAD_BYTES_PER_SECOND_MIN: wholeNumber(0, 1_000_000)
      .default(1_000)
      .describe(
        'Minimum upload rate of a list in bytes per second, averaged over a minute; 0 turns the limit off.',
      ),
    KEY_ENCRYPTION_KEYS: keyRing.describe(
      'Keys that seal API keys and cursors, `kid:base64` of 32 octets, comma-separated; the first seals, all of them open.',
    ),
    BILLING_RENEWAL_INTERVAL_MS: wholeNumber(50, 3_600_000)
      .default(10_000)
      .describe('Time between two looks for accounts whose billing cycle is over.'),
    ...billingSettings,
    ...userSettings,
  })
  .refine(config => config.SERVICE_SIGNING_KEY.kid === 'gateway', {
    path: ['SERVICE_SIGNING_KEY'],
    error: 'must have the kid gateway: a service signs in its own name',
  });

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

const operatorSettings = z.object({
  ...databaseSettings,
  ...billingSettings,
  // Without these, commands say what they could not do.
  KEY_ENCRYPTION_KEYS: keyRing.optional(),
  CREDIT_LEDGER_URL: z.url().optional(),
  SERVICE_SIGNING_KEY: serviceSettings.SERVICE_SIGNING_KEY.optional(),
});

export type OperatorConfig = z.output<typeof operatorSettings>;

/** What the operator's commands need: the database, and what else they can make use of. */
export function loadOperatorConfig(environment: NodeJS.ProcessEnv): OperatorConfig {
  return readConfig(operatorSettings, environment);
}
