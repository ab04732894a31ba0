import {
  internalPort,
  keyRing,
  privateRanges,
  proxyList,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { z } from 'zod';
import { isOriginPattern } from './domain/web-origins.ts';

const settings = z
  .object({
    ...serviceSettings,
    INTERNAL_PORT: internalPort,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as the tool server’s own role.'),
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/ })
      .describe('Redis, for what lives shortly: sign-ins under way, authorization codes, rate windows.'),
    GATEWAY_URL: z.url().describe('Where the gateway listens for its peers: sign-in and tool calls use it.'),
    MCP_PUBLIC_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .transform(url => url.replace(/\/+$/, ''))
      .refine(url => new URL(url).pathname === '/', 'must have no path: it is the issuer of tokens')
      .describe(
        'The address under which assistants and browsers reach this service; the issuer of its tokens.',
      ),
    PUBLIC_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .transform(url => url.replace(/\/+$/, ''))
      .describe('The address of the application, to which pages link.'),
    TRUSTED_PROXIES: proxyList.describe('Proxies whose X-Forwarded-For is believed.'),
    OAUTH_ENCRYPTION_KEYS: keyRing.describe(
      'The ring that seals this service’s own secrets, in the same form: signing keys, tokens and sign-ins under way.',
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
        'Websites whose pages may speak with `/mcp` besides our own, comma-separated; `:*` stands for any port. By default tools on the user’s own machine, such as the Inspector.',
      ),
    MCP_REQUESTS_PER_SECOND_MAX: wholeNumber(1, 100_000)
      .default(300)
      .describe('Requests that an account’s assistants may make in any one second without calling a tool.'),
    TOOL_CALL_DEADLINE_MS: wholeNumber(100, 600_000)
      .default(30_000)
      .describe('Time that the gateway gets to answer a tool call; longer than a validation takes.'),
    AUTH_FAILURES_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe('Refused tokens, unknown paths and wrong methods of one client address in a minute.'),
    OAUTH_REQUESTS_PER_MINUTE_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe(
        'Requests of one client network a minute: to begin a sign-in, for its pages, for tokens, and to /mcp without a token, each.',
      ),
    OAUTH_REGISTRATIONS_PER_HOUR_MAX: wholeNumber(1, 1_000_000)
      .default(300)
      .describe('Clients that one client network may register in an hour.'),
    OAUTH_UNUSED_CLIENTS_MAX: wholeNumber(10, 1_000_000)
      .default(10_000)
      .describe(
        'Clients that have registered and were never connected, over all networks; beyond it the oldest are deleted.',
      ),
    OAUTH_REFRESH_OVERLAP_SECONDS: wholeNumber(0, 300)
      .default(60)
      .describe(
        'Seconds for which a replaced refresh token gets the same successor again, for clients that refresh in parallel or lose a response; 0 turns this off.',
      ),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'Ranges from which client metadata documents may be fetched besides public addresses.',
    ),
  })
  .refine(config => config.SERVICE_SIGNING_KEY.kid === 'mcp-server', {
    path: ['SERVICE_SIGNING_KEY'],
    error: 'must have the kid mcp-server: a service signs in its own name',
  });

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
