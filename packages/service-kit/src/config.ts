import type { ServiceName } from '@mailproof/shared-types';
import { z } from 'zod';
import { plainIssue } from './plain-issue.ts';

/** Thrown when a setting in the environment is missing, invalid or unsafe; the service must not start. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from environment variables and reports all faults together, by variable name. An empty variable counts
 * as unset, because charts and compose files cannot always omit one. The message never contains values: they may be
 * secrets.
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given, { error: plainIssue });
  if (result.success) {
    return result.data;
  }
  const faults = result.error.issues.map(
    issue => `  ${issue.path.join('.') || 'settings'}: ${issue.message}`,
  );
  throw new ConfigError(`The service cannot start with these settings:\n${faults.join('\n')}`);
}

function json<Schema extends z.ZodType>(schema: Schema, form: string) {
  return z.string().transform((text, context): z.output<Schema> => {
    try {
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) {
        return parsed.data;
      }
    } catch {
      // Falls through to the message below, which does not contain the text: it may be a secret.
    }
    context.addIssue({ code: 'custom', message: `must be ${form}` });
    return z.NEVER;
  });
}

const publicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
});
const privateKey = publicKey.extend({ d: z.string() });

/** An Ed25519 key as a JWK whose `kid` is the service's name. */
export type PrivateServiceKey = z.output<typeof privateKey>;
export type PublicServiceKeys = { readonly keys: readonly z.output<typeof publicKey>[] };

/** A setting that is a whole number. */
export function wholeNumber(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= minimum && value <= maximum, `must be between ${minimum} and ${maximum}`);
}

/** Schemas of settings that several services share. */
export const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });
export const redisUrl = z.url({ protocol: /^rediss?$/ });
/** A URL to which paths are appended. */
export const baseUrl = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''));
export const databaseConnectionsMax = wholeNumber(1, 200).default(10);
/** The key for keyed hashes. */
export const hashKey = z
  .string()
  .min(32, 'must be at least 32 characters long')
  .transform(text => new TextEncoder().encode(text));

/** Returns arguments for `refine` that require a service to sign with its own key. */
export function signsAs(
  service: ServiceName,
): [
  isOwn: (config: { readonly SERVICE_SIGNING_KEY: PrivateServiceKey }) => boolean,
  refusal: { path: string[]; error: string },
] {
  return [
    config => config.SERVICE_SIGNING_KEY.kid === service,
    {
      path: ['SERVICE_SIGNING_KEY'],
      error: `must have the kid ${service}: each service signs with its own name`,
    },
  ];
}

/** Settings of every service; spread it into the service's own schema. */
export const serviceSettings = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber(0, 65_535).describe('Port to listen on; 0 selects a free one.'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SERVICE_SIGNING_KEY: json(privateKey, 'a private Ed25519 key as one JWK with a kid').describe(
    'The key that signs this service’s calls to other services.',
  ),
  SERVICE_PEER_KEYS: json(
    z.object({ keys: z.array(publicKey).min(1) }),
    'a JWKS of public Ed25519 keys',
  ).describe('The public keys of the other services; each kid is a service name.'),
  SHUTDOWN_DEADLINE_MS: wholeNumber(100, 600_000)
    .default(30_000)
    .describe('Time for requests in progress when the service stops.'),
  CONNECTIONS_MAX: wholeNumber(1, 100_000).default(2_000).describe('Maximum open connections.'),
  CONNECTIONS_PER_ADDRESS_MAX: wholeNumber(1, 100_000)
    .default(500)
    .describe('Maximum open connections per client address; does not apply to trusted proxies.'),
} as const;

/** Schema of `INTERNAL_PORT`, a setting of the services that customers reach at `PORT` (ADR 0054). */
export const internalPort = wholeNumber(0, 65_535).describe(
  'Port to listen on for other services and probes; never publish it; 0 selects a free one.',
);

/** Schema of `OUTBOX_INTERVAL_MS`, a setting of the services that have an outbox. */
export const outboxIntervalMs = wholeNumber(20, 60_000)
  .default(1_000)
  .describe('Interval between checks of the outbox.');

const settings = z.object(serviceSettings);

/** Only services with a public side have `INTERNAL_PORT`. */
export type ServiceSettings = z.output<typeof settings> & { readonly INTERNAL_PORT?: number };
