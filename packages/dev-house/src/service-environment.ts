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

/** Where a service answers. */
export interface ServiceUrls {
  /** At its `PORT`: customers, where the service has a public side, and otherwise peers. */
  readonly url: string;
  /** Peers and probes; the same address where there is no public side. */
  readonly internalUrl: string;
}

/** What the house has found out by the time a service is started. */
export interface HouseFacts {
  readonly secrets: ServiceSecrets;
  readonly databases: Readonly<Record<string, ServiceDatabase>>;
  readonly redis: RedisFacts;
  /** Where each service answers. */
  readonly serviceUrls: Readonly<Record<string, ServiceUrls>>;
  /** Where people and programs outside reach what they reach. */
  readonly publicUrls: Readonly<Record<PublicUrlSetting, string>>;
  /** Settings that lead to the mail lab; absent without one. */
  readonly labEnvironment?: Environment;
  /** The host that takes our mail; absent when the user has set one. */
  readonly mailSmtpUrl?: string;
  readonly logLevel: string;
}

/**
 * Belong to one service each, so a value of the user's environment never passes straight through:
 * `DATABASE_URL`, for one, is the administrator's there.
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

/** Where the first service shows its metrics, if it is told to show them; each further one takes the next port. */
const firstMetricsPort = 9464;

/** The whole environment of one service. What the user has set wins over what the house makes up. */
export function composeEnvironment({
  service,
  urls,
  facts,
  inherited,
  overrides = {},
}: {
  readonly service: ServiceDefinition;
  /** Where it is to answer. */
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
