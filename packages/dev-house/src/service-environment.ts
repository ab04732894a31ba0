import {
  type PublicUrlSetting,
  type RedisServiceName,
  type ServiceDatabase,
  type ServiceDefinition,
  type ServiceSecrets,
  secretSettingsOf,
  serviceDefinitions,
} from '@mailproof/installation';
import { type RedisFacts, redisUrlOf } from './redis-users.ts';

export type Environment = Readonly<Record<string, string>>;

/** The addresses of a service. */
export interface ServiceUrls {
  /** The address at `PORT`: for customers if the service has a public side, otherwise for peers. */
  readonly url: string;
  /** The address for peers and probes; the same as `url` if there is no public side. */
  readonly internalUrl: string;
}

/** What the house knows when it starts a service. */
export interface HouseFacts {
  readonly secrets: ServiceSecrets;
  readonly databases: Readonly<Record<string, ServiceDatabase>>;
  readonly redis: RedisFacts;
  /** The addresses of each service. */
  readonly serviceUrls: Readonly<Record<string, ServiceUrls>>;
  /** Public addresses, for people and programs outside. */
  readonly publicUrls: Readonly<Record<PublicUrlSetting, string>>;
  /** Settings that direct a service to the mail lab; absent without a lab. */
  readonly labEnvironment?: Environment;
  /** The host that receives our mail; absent if the user has set one. */
  readonly mailSmtpUrl?: string;
  readonly logLevel: string;
}

/**
 * Settings whose value differs between services, so the user's environment is never passed on for them: its
 * `DATABASE_URL`, for example, is the administrator's.
 */
const ownSettings = [
  'HOST',
  'PORT',
  'INTERNAL_PORT',
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'REDIS_URL',
  'SERVICE_SIGNING_KEY',
  'SERVICE_PEER_KEYS',
  'NODE_CHANNEL_FD',
  'NODE_OPTIONS',
  'OTEL_SERVICE_NAME',
  'OTEL_EXPORTER_PROMETHEUS_PORT',
];

/** The port of the first service's metrics, if enabled; each further service uses the next port. */
const firstMetricsPort = 9464;

/** Composes the whole environment of a service. The user's settings override those of the house. */
export function composeEnvironment({
  service,
  urls,
  facts,
  inherited,
  overrides = {},
}: {
  readonly service: ServiceDefinition;
  /** The addresses to listen on. */
  readonly urls: ServiceUrls;
  readonly facts: HouseFacts;
  readonly inherited: NodeJS.ProcessEnv;
  readonly overrides?: Environment | undefined;
}): Environment {
  return {
    ...defaults(service, facts),
    ...userSettings(inherited),
    ...identity(service, urls, facts),
    ...overrides,
  };
}

function defaults(service: ServiceDefinition, facts: HouseFacts): Environment {
  const peers = Object.entries(service.peers).map(([setting, peer]) => [
    setting,
    facts.serviceUrls[peer]?.internalUrl ?? '',
  ]);
  const named = [service.publicUrlSetting ?? [], service.namesPublicUrls ?? []].flat();
  const publicUrls = named.map(setting => [setting, facts.publicUrls[setting]]);
  return {
    LOG_LEVEL: facts.logLevel,
    // Less than the time after which a stopping house kills it.
    SHUTDOWN_DEADLINE_MS: '8000',
    OTEL_SERVICE_NAME: service.name,
    OTEL_EXPORTER_PROMETHEUS_PORT: String(
      firstMetricsPort + serviceDefinitions.findIndex(({ name }) => name === service.name),
    ),
    ...secretSettingsOf(service, facts.secrets),
    ...Object.fromEntries(peers),
    ...Object.fromEntries(publicUrls),
    ...(service.sendsMail && facts.mailSmtpUrl && { MAIL_SMTP_URL: facts.mailSmtpUrl }),
    ...(service.contactsMailHosts && facts.labEnvironment),
  };
}

function userSettings(inherited: NodeJS.ProcessEnv): Environment {
  const settings = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ownSettings.includes(entry[0]),
  );
  return Object.fromEntries(settings);
}

function identity(
  service: ServiceDefinition,
  { url, internalUrl }: ServiceUrls,
  facts: HouseFacts,
): Environment {
  const database = service.schema ? facts.databases[service.schema] : undefined;
  return {
    HOST: '127.0.0.1',
    PORT: new URL(url).port,
    ...(service.publicUrlSetting && { INTERNAL_PORT: new URL(internalUrl).port }),
    ...(database && { DATABASE_URL: database.databaseUrl }),
    ...(service.redisKeys && { REDIS_URL: redisUrlOf(service.name as RedisServiceName, facts.redis) }),
  };
}
