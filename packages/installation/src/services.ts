/** The addresses under which the outside reaches Mailproof. */
export type PublicUrlSetting = 'PUBLIC_BASE_URL' | 'MCP_PUBLIC_BASE_URL';

/** A secret that a house makes up and keeps. */
export type SecretName =
  | 'addressHashKey'
  | 'crmTokenEncryptionKeys'
  | 'destinationEncryptionKeys'
  | 'keyEncryptionKeys'
  | 'oauthEncryptionKeys'
  | 'providerEncryptionKeys'
  | 'suppressionHashKey';

/** What the house has to know of a service in order to start it. */
export interface ServiceDefinition {
  /** Also the folder under `services/` and the issuer of the service's tokens. */
  readonly name: string;
  /** The Postgres schema that only this service touches; absent when it keeps no tables. */
  readonly schema?: string;
  /**
   * The keys of Redis that only this service touches, as patterns of Redis's access control lists (ADR 0055); absent when
   * it uses no Redis. Replicas of the previous release run under the same patterns during an upgrade, so a pattern goes
   * one release after the last key that it covers.
   */
  readonly redisKeys?: readonly string[];
  /** Which services it calls, each with the setting that holds the address at which they answer peers. */
  readonly peers: Readonly<Record<string, string>>;
  /**
   * The setting that holds the address under which people and programs outside reach it. A service that has it answers
   * them at `PORT`, and peers and probes at `INTERNAL_PORT`; one that has none answers peers and probes at `PORT`.
   */
  readonly publicUrlSetting?: PublicUrlSetting;
  /** Addresses of other services that it names in its answers. */
  readonly namesPublicUrls?: readonly PublicUrlSetting[];
  /** Whether it sends mail to users. */
  readonly sendsMail?: true;
  /** Whether it contacts mail hosts, and so needs to be told of the mail lab. */
  readonly contactsMailHosts: boolean;
  /** The options of Node that it runs with. */
  readonly nodeOptions: readonly string[];
  /** Settings that the house fills with a secret that it makes up and keeps. */
  readonly secretSettings?: Readonly<Record<string, SecretName>>;
}

/**
 * For services that keep lists in memory: as little besides as goes. Left to itself, Node looks for what is not needed
 * any more only after it has taken much of a large machine.
 */
const sparing = ['--max-semi-space-size=4', '--heap-growing-percent=20'];

/**
 * For services that many answers go through (ADR 0050): what belongs to one is gone before it is taken for old. The room
 * for what is young is there from the beginning, so that it does not look like memory that is lost bit by bit. Only one
 * thread looks, where V8 has one for each processor and those who wait for an answer have none.
 *
 * @param growingPercent by how much the old may grow until it is looked through; more where more becomes old
 */
function answering(growingPercent: number): readonly string[] {
  return [
    ...['--min-semi-space-size=16', '--max-semi-space-size=16', `--heap-growing-percent=${growingPercent}`],
    '--concurrent-marking-max-worker-num=1',
  ];
}

/**
 * Left to itself, glibc keeps what was given back to it, up to twice the largest piece that it ever had. Elsewhere this
 * setting means nothing.
 */
export const mallocEnvironment = { MALLOC_TRIM_THRESHOLD_: '131072' } as const;

/** The one list of services: `npm start`, `npm test` and the end-to-end tests start what stands here. */
export const services = [
  {
    name: 'gateway',
    schema: 'gateway',
    redisKeys: ['bull:gateway.*', 'rate:gateway:*'],
    peers: {
      CREDIT_LEDGER_URL: 'credit-ledger',
      VALIDATION_ENGINE_URL: 'validation-engine',
      MCP_SERVER_URL: 'mcp-server',
      ENRICHMENT_URL: 'enrichment',
      WEBHOOK_DISPATCHER_URL: 'webhook-dispatcher',
    },
    publicUrlSetting: 'PUBLIC_BASE_URL',
    sendsMail: true,
    contactsMailHosts: false,
    nodeOptions: answering(40),
    secretSettings: { KEY_ENCRYPTION_KEYS: 'keyEncryptionKeys' },
  },
  {
    name: 'credit-ledger',
    schema: 'ledger',
    peers: {},
    contactsMailHosts: false,
    nodeOptions: answering(20),
  },
  {
    name: 'validation-engine',
    schema: 'validation',
    redisKeys: [
      'bull:validation-engine.*',
      'breaker:*',
      'comparison:*',
      'harvest:*',
      'host-cap:*',
      'host-places:*',
      'host-slowed:*',
      'host-starts:*',
      'verdict:*',
      'verdict-audiences:*',
    ],
    peers: { CREDIT_LEDGER_URL: 'credit-ledger' },
    contactsMailHosts: true,
    nodeOptions: sparing,
    secretSettings: { ADDRESS_HASH_KEY: 'addressHashKey' },
  },
  {
    name: 'mcp-server',
    schema: 'mcp',
    redisKeys: ['oauth:*', 'rate:mcp-server:*'],
    peers: { GATEWAY_URL: 'gateway' },
    publicUrlSetting: 'MCP_PUBLIC_BASE_URL',
    namesPublicUrls: ['PUBLIC_BASE_URL'],
    contactsMailHosts: false,
    nodeOptions: answering(40),
    secretSettings: { OAUTH_ENCRYPTION_KEYS: 'oauthEncryptionKeys' },
  },
  {
    name: 'enrichment',
    schema: 'enrichment',
    redisKeys: ['bull:enrichment.*', 'rate:enrichment:*'],
    peers: { CREDIT_LEDGER_URL: 'credit-ledger' },
    contactsMailHosts: false,
    nodeOptions: sparing,
    secretSettings: {
      SUPPRESSION_HASH_KEY: 'suppressionHashKey',
      PROVIDER_ENCRYPTION_KEYS: 'providerEncryptionKeys',
    },
  },
  {
    name: 'webhook-dispatcher',
    schema: 'dispatcher',
    redisKeys: ['bull:webhook-dispatcher.*', 'mailproof:destination:*'],
    peers: { VALIDATION_ENGINE_URL: 'validation-engine', ENRICHMENT_URL: 'enrichment' },
    namesPublicUrls: ['PUBLIC_BASE_URL'],
    contactsMailHosts: false,
    nodeOptions: sparing,
    secretSettings: {
      DESTINATION_ENCRYPTION_KEYS: 'destinationEncryptionKeys',
      CRM_TOKEN_ENCRYPTION_KEYS: 'crmTokenEncryptionKeys',
    },
  },
] as const satisfies readonly ServiceDefinition[];

export type ServiceName = (typeof services)[number]['name'];

/** The services that use Redis, each as a user of its own. */
export type RedisServiceName = Extract<
  (typeof services)[number],
  { readonly redisKeys: readonly string[] }
>['name'];

/** The services that keep tables. */
export type StoringServiceName = Extract<(typeof services)[number], { readonly schema: string }>['name'];

/** The same list, for code that treats all services alike. */
export const serviceDefinitions: readonly ServiceDefinition[] = services;

/** The options of Node that a service runs with, or an error that names the service. */
export function nodeOptionsOf(name: string): readonly string[] {
  const service = serviceDefinitions.find(definition => definition.name === name);
  if (!service) throw new Error(`There is no service ${name}.`);
  return service.nodeOptions;
}

/** The schemas of all services that keep tables. */
export function allSchemas(): string[] {
  return serviceDefinitions.flatMap(({ schema }) => schema ?? []);
}

/** The schema of a service, or an error that names the service. */
export function schemaOf(name: StoringServiceName): string {
  const schema = serviceDefinitions.find(service => service.name === name)?.schema;
  if (!schema) throw new Error(`The service ${name} keeps no tables.`);
  return schema;
}
