import { z } from 'zod';

/** The service must not start: the environment lacks a setting or holds one that is wrong or unsafe. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from environment variables and reports every fault at once, by variable name. An empty variable
 * counts as unset, because charts and compose files cannot always leave one out. Values are never repeated in the
 * message: they may be secrets.
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) {
    return result.data;
  }
  const faults = result.error.issues.map(
    issue => `  ${issue.path.join('.') || 'settings'}: ${issue.message}`,
  );
  throw new ConfigError(`These settings keep the service from starting:\n${faults.join('\n')}`);
}

function json<Schema extends z.ZodType>(schema: Schema, form: string) {
  return z.string().transform((text, context): z.output<Schema> => {
    try {
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) {
        return parsed.data;
      }
    } catch {
      // Falls through to the message below, which does not repeat the text: it may be a secret.
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

/** A whole number in a variable. */
export function wholeNumber(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= minimum && value <= maximum, `must be between ${minimum} and ${maximum}`);
}

/** Settings of every service; spread it into the service's own schema. */
export const serviceSettings = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber(0, 65_535).describe('Port to listen on; 0 takes a free one.'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SERVICE_SIGNING_KEY: json(privateKey, 'a private Ed25519 key as one JWK with a kid').describe(
    'The key that signs this service’s calls to its peers.',
  ),
  SERVICE_PEER_KEYS: json(
    z.object({ keys: z.array(publicKey).min(1) }),
    'a JWKS of public Ed25519 keys',
  ).describe('The public keys of the peers; each kid is a service’s name.'),
  SHUTDOWN_DEADLINE_MS: wholeNumber(100, 600_000)
    .default(30_000)
    .describe('Time that running requests get when the service is asked to stop.'),
  CONNECTIONS_MAX: wholeNumber(1, 100_000).default(2_000).describe('Connections that are open at once.'),
  CONNECTIONS_PER_ADDRESS_MAX: wholeNumber(1, 100_000)
    .default(500)
    .describe(
      'Connections that one client address has open at once; proxies that are trusted have no such limit.',
    ),
} as const;

/** The form of `INTERNAL_PORT`, a setting of the services that customers reach at `PORT` (ADR 0054). */
export const internalPort = wholeNumber(0, 65_535).describe(
  'Port to listen on for peers and probes, never to be published; 0 takes a free one.',
);

/** The form of `OUTBOX_INTERVAL_MS`, a setting of the services that keep an outbox. */
export const outboxIntervalMs = wholeNumber(20, 60_000)
  .default(1_000)
  .describe('Time between two looks at the outbox for work to be done.');

const settings = z.object(serviceSettings);

/** `INTERNAL_PORT` is there exactly where the service has a public side. */
export type ServiceSettings = z.output<typeof settings> & { readonly INTERNAL_PORT?: number };
