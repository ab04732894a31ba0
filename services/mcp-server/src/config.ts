import {
  baseUrl,
  databaseConnectionsMax,
  internalPort,
  keyRing,
  postgresUrl,
  privateRanges,
  proxyList,
  readConfig,
  redisUrl,
  serviceSettings,
  signsAs,
  wholeNumber,
} from '@mailproof/service-kit';
import { z } from 'zod';
import { isOriginPattern } from './domain/web-origins.ts';

const settings = z
  .object({
    ...serviceSettings,
    INTERNAL_PORT: internalPort,
    DATABASE_URL: postgresUrl.describe('Postgres, with the tool server’s own role.'),
    DATABASE_CONNECTIONS_MAX: databaseConnectionsMax,
    REDIS_URL: redisUrl.describe(
      'Redis, for short-lived data: sign-ins in progress, authorization codes, rate limits.',
    ),
    GATEWAY_URL: z
      .url()
      .describe('URL where the gateway listens for other services; used for sign-in and tool calls.'),
    MCP_PUBLIC_BASE_URL: baseUrl
      .refine(url => new URL(url).pathname === '/', 'must have no path: it is the issuer of tokens')
      .describe('URL where assistants and browsers reach this service; the issuer of its tokens.'),
    PUBLIC_BASE_URL: baseUrl.describe('URL of the application, for links on pages.'),
    TRUSTED_PROXIES: proxyList.describe('Proxies whose X-Forwarded-For is trusted.'),
    OAUTH_ENCRYPTION_KEYS: keyRing.describe(
      'Key ring that encrypts this service’s secrets, in the same format: signing keys, tokens and sign-ins in progress.',
    ),
    MCP_ALLOWED_ORIGINS: z
      .string()
      .default('http://localhost:*,http://127.0.0.1:*,http://[::1]:*')
      .transform(text =>
        text
          .split(',')
          .map(origin => origin.trim())
          .filter(origin => origin !== ''),
      )
      .refine(origins => origins.every(isOriginPattern), 'must list origins, such as https://app.example')
      .describe(
        'Origins that may use `/mcp` in addition to our own, comma-separated; `:*` matches any port. Defaults to tools on the user’s own machine, such as the Inspector.',
      ),
    MCP_REQUESTS_PER_SECOND_MAX: wholeNumber(1, 100_000)
      .default(300)
      .describe('Requests per second that an account’s assistants can make without calling a tool.'),
    TOOL_CALL_DEADLINE_MS: wholeNumber(100, 600_000)
      .default(30_000)
      .describe('Time within which the gateway must answer a tool call; longer than a validation takes.'),
    AUTH_FAILURES_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe('Rejected tokens, unknown paths and wrong methods per minute and client address.'),
    OAUTH_REQUESTS_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe(
        'Requests per minute and client network, each: to start a sign-in, for its pages, for tokens, and to /mcp without a token.',
      ),
    OAUTH_REGISTRATIONS_PER_HOUR_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe('Client registrations per hour and client network.'),
    OAUTH_UNUSED_CLIENTS_MAX: wholeNumber(10, 1_000_000)
      .default(10_000)
      .describe(
        'Registered clients that were never connected, across all networks; above this limit the oldest are deleted.',
      ),
    OAUTH_REFRESH_OVERLAP_SECONDS: wholeNumber(0, 300)
      .default(60)
      .describe(
        'Seconds for which a replaced refresh token returns the same successor, for clients that refresh in parallel or lose a response; 0 disables this.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'IP ranges from which client metadata documents may be fetched in addition to public addresses.',
    ),
  })
  .refine(...signsAs('mcp-server'));

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

const operatorSettings = z.object({
  DATABASE_URL: settings.shape.DATABASE_URL,
  OAUTH_ENCRYPTION_KEYS: settings.shape.OAUTH_ENCRYPTION_KEYS,
});

/** The settings that the operator's commands need. */
export type OperatorConfig = z.output<typeof operatorSettings>;

export function loadOperatorConfig(environment: NodeJS.ProcessEnv): OperatorConfig {
  return readConfig(operatorSettings, environment);
}
