import {
  baseUrl,
  databaseConnectionsMax,
  internalPort,
  keyRing,
  outboxIntervalMs,
  postgresUrl,
  proxyList,
  readConfig,
  redisUrl,
  serviceSettings,
  signsAs,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';
import { stripeApiUrl, stripeIsWhole, stripePrices } from './stripe-settings.ts';

const databaseSettings = {
  DATABASE_URL: postgresUrl.describe('Postgres, with the gateway’s own role.'),
};

export const graceDaysDefault = 7;

const billingSettings = {
  BILLING_GRACE_DAYS: wholeNumber(0, 365)
    .default(graceDaysDefault)
    .describe('Days that a plan stays active without payment.'),
};

/** Without them, the operator confirms payments (docs/payment.md). */
const stripeSettings = {
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^[sr]k_\w{1,300}$/, 'must be a secret or restricted key of Stripe')
    .optional()
    .describe('Key of Stripe’s API; with it, customers pay by Stripe.'),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\w{1,300}$/, 'must be the signing secret of a webhook endpoint of Stripe')
    .optional()
    .describe('Signing secret of the webhook endpoint at Stripe.'),
  STRIPE_PRICES: stripePrices
    .optional()
    .describe(
      'What Stripe sells: `plan=price_…` for each paid plan and `credits=price_…` for each top-up, comma-separated.',
    ),
  STRIPE_AUTOMATIC_TAX: z
    .enum(['true', 'false'])
    .default('false')
    .transform(text => text === 'true')
    .describe('Whether Stripe Tax computes taxes.'),
  STRIPE_API_URL: stripeApiUrl.optional().describe('URL of Stripe’s API; another one serves tests only.'),
} as const;

/** Settings for users who sign in. */
const userSettings = {
  SESSION_DAYS_MAX: wholeNumber(1, 365).default(30).describe('Maximum lifetime of a session, in days.'),
  SESSION_IDLE_DAYS_MAX: wholeNumber(1, 365)
    .default(7)
    .describe('Days without a request after which a session ends.'),
  SESSION_REQUESTS_PER_SECOND_MAX: wholeNumber(1, 100_000)
    .default(20)
    .describe('Requests per second and session.'),
  VISITOR_REQUESTS_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
    .default(60)
    .describe('Requests per minute and client address to sign in, sign up and the like.'),
  SIGN_IN_FAILURES_PER_USER_MAX: wholeNumber(1, 1_000)
    .default(10)
    .describe('Wrong passwords allowed per user in 15 minutes.'),
  SIGN_IN_FAILURES_PER_NETWORK_MAX: wholeNumber(1, 1_000_000)
    .default(100)
    .describe('Wrong passwords allowed per client address in an hour.'),
  PASSWORD_HASHES_AT_ONCE_MAX: wholeNumber(1, 64)
    .default(2)
    .describe('Password hashes computed in parallel; each takes 19 MiB.'),
  MAIL_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'The SMTP server for outgoing mail: `smtps://user:password@host:465`, or `smtp://` for STARTTLS. Without it, users cannot sign up, reset a password or be invited.',
    ),
  MAIL_FROM: z
    .string()
    .max(320)
    .default('Mailproof <no-reply@localhost>')
    .describe('The sender of outgoing mail.'),
  MAILS_PER_ADDRESS_PER_HOUR_MAX: wholeNumber(1, 1_000)
    .default(5)
    .describe(
      'Mails per hour that visitors can trigger to one address; mails above this limit are not sent.',
    ),
  MAILS_PER_ACCOUNT_PER_HOUR_MAX: wholeNumber(1, 10_000)
    .default(20)
    .describe('Invitations and email address changes per hour and account.'),
  SECURITY_EVENT_DAYS_MAX: wholeNumber(1, 3_650)
    .default(365)
    .describe('Days for which security events are kept.'),
} as const;

const settings = z
  .object({
    ...serviceSettings,
    INTERNAL_PORT: internalPort,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    ...databaseSettings,
    DATABASE_CONNECTIONS_MAX: databaseConnectionsMax,
    REDIS_URL: redisUrl.describe('Redis, for rate limits, counts of failed and public requests, and queues.'),
    CREDIT_LEDGER_URL: z.url().describe('URL of the credit ledger.'),
    VALIDATION_ENGINE_URL: z.url().describe('URL of the validation engine.'),
    MCP_SERVER_URL: z.url().describe('URL where the tool server listens for other services.'),
    ENRICHMENT_URL: z.url().describe('URL of the enrichment service, which finds profiles and leads.'),
    WEBHOOK_DISPATCHER_URL: z.url().describe('URL of the webhook dispatcher, which exports rows.'),
    PUBLIC_BASE_URL: baseUrl.describe('URL where customers reach this service; used for links.'),
    TRUSTED_PROXIES: proxyList.describe('Proxies whose X-Forwarded-For is trusted.'),
    VALIDATION_DEADLINE_MS: wholeNumber(1_000, 120_000)
      .default(limits.validationDeadlineMsDefault)
      .describe('Deadline of a single validation.'),
    AUTH_FAILURES_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe(
        'Failed authentication attempts, unknown paths and wrong methods per minute and client address.',
      ),
    PUBLIC_REQUESTS_PER_HOUR_MAX: wholeNumber(1, 1_000_000)
      .default(30)
      .describe('Requests without a key per hour and client address.'),
    UPLOAD_BYTES_PER_SECOND_MIN: wholeNumber(0, 1_000_000)
      .default(1_000)
      .describe(
        'Minimum upload rate of a list in bytes per second, averaged over a minute; 0 disables the limit.',
      ),
    KEY_ENCRYPTION_KEYS: keyRing.describe(
      'Keys that encrypt API keys and cursors, `kid:base64` of 32 octets, comma-separated; the first encrypts, all decrypt.',
    ),
    BILLING_RENEWAL_INTERVAL_MS: wholeNumber(50, 3_600_000)
      .default(10_000)
      .describe('Interval between checks for accounts whose billing cycle has ended.'),
    ...billingSettings,
    ...stripeSettings,
    ...userSettings,
  })
  .refine(...stripeIsWhole)
  .refine(...signsAs('gateway'));

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

const operatorSettings = z
  .object({
    ...databaseSettings,
    ...billingSettings,
    ...stripeSettings,
    // Without these, commands report what they could not do.
    KEY_ENCRYPTION_KEYS: keyRing.optional(),
    CREDIT_LEDGER_URL: z.url().optional(),
    SERVICE_SIGNING_KEY: serviceSettings.SERVICE_SIGNING_KEY.optional(),
  })
  .refine(...stripeIsWhole);

export type OperatorConfig = z.output<typeof operatorSettings>;

/** Loads the settings of the operator's commands: the database, and optional ones. */
export function loadOperatorConfig(environment: NodeJS.ProcessEnv): OperatorConfig {
  return readConfig(operatorSettings, environment);
}
