/** The settings with Mailproof's public addresses. */
export type PublicUrlSetting = 'PUBLIC_BASE_URL' | 'MCP_PUBLIC_BASE_URL';

/** A secret that a house creates and keeps. */
export type SecretName =
  | 'addressHashKey'
  | 'crmTokenEncryptionKeys'
  | 'destinationEncryptionKeys'
  | 'keyEncryptionKeys'
  | 'oauthEncryptionKeys'
  | 'providerEncryptionKeys'
  | 'suppressionHashKey';

/** The facts about a service that the house needs to start it. */
export interface ServiceDefinition {
  /** Also the folder under `services/` and the issuer of the service's tokens. */
  readonly name: string;
  /** The Postgres schema that only this service uses; absent if it has no tables. */
  readonly schema?: string;
  /**
   * The Redis keys that only this service uses, as patterns of Redis's access control lists (ADR 0055); absent if it
   * uses no Redis. Replicas of the previous release run under the same patterns during an upgrade, so a pattern is
   * removed one release after the last key that it covers.
   */
  readonly redisKeys?: readonly string[];
  /** The services that it calls, by the setting that contains their address for peers. */
  readonly peers: Readonly<Record<string, string>>;
  /**
   * The setting that contains its public address for people and programs. A service with this setting serves them at
   * `PORT`, and peers and probes at `INTERNAL_PORT`. A service without it serves peers and probes at `PORT`.
   */
  readonly publicUrlSetting?: PublicUrlSetting;
  /** Public addresses of other services that it includes in its responses. */
  readonly namesPublicUrls?: readonly PublicUrlSetting[];
  /** Whether it sends mail to users. */
  readonly sendsMail?: true;
  /** Whether it contacts mail hosts, and so needs the addresses of the mail lab. */
  readonly contactsMailHosts: boolean;
  /** The Node options that it runs with. With `--expose-gc` it collects garbage once, before its first request. */
  readonly nodeOptions: readonly string[];
  /** Settings whose values are secrets that the house creates and keeps. */
  readonly secretSettings?: Readonly<Record<string, SecretName>>;
}

/**
 * For services that keep lists in memory: minimizes the memory overhead. By default, on a large machine, Node collects
 * garbage only after the heap has taken much of the memory.
 *
 * @param growingPercent how much the old generation may grow between collections
 */
function sparing(growingPercent: number): readonly string[] {
  return ['--expose-gc', '--max-semi-space-size=4', `--heap-growing-percent=${growingPercent}`];
}

/**
 * For services that process many requests (ADR 0050): the objects of a request are freed before V8 promotes them to the
 * old generation. Marking uses only one thread; by default, V8 uses one for each processor and leaves none for pending
 * requests.
 *
 * @param growingPercent how much the old generation may grow between collections; higher if more objects reach it
 */
function answering(growingPercent: number): readonly string[] {
  return [
    ...['--expose-gc', '--max-semi-space-size=16', `--heap-growing-percent=${growingPercent}`],
    '--concurrent-marking-max-worker-num=1',
  ];
}

/**
 * By default, glibc keeps freed memory, up to twice the size of the largest block that it ever had, and has a pool of it
 * for each of a dozen threads. Other C libraries ignore this.
 */
export const mallocEnvironment = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' } as const;

/** The only list of services: `npm start`, `npm test` and the end-to-end tests start these. */
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
    peers: { CREDIT_LEDGER_URL: 'credit-ledger', ENRICHMENT_URL: 'enrichment' },
    contactsMailHosts: true,
    nodeOptions: sparing(30),
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
    nodeOptions: sparing(20),
    secretSettings: {
      SUPPRESSION_HASH_KEY: 'suppressionHashKey',
      PROVIDER_ENCRYPTION_KEYS: 'providerEncryptionKeys',
    },
  },
  {
    name: 'webhook-dispatcher',
    schema: 'dispatcher',
    redisKeys: ['bull:webhook-dispatcher.*', 'mailproof:destination:*', 'mailproof:outcome-signature:*'],
    peers: {
      VALIDATION_ENGINE_URL: 'validation-engine',
      ENRICHMENT_URL: 'enrichment',
      CREDIT_LEDGER_URL: 'credit-ledger',
    },
    namesPublicUrls: ['PUBLIC_BASE_URL'],
    contactsMailHosts: false,
    nodeOptions: sparing(20),
    secretSettings: {
      DESTINATION_ENCRYPTION_KEYS: 'destinationEncryptionKeys',
      CRM_TOKEN_ENCRYPTION_KEYS: 'crmTokenEncryptionKeys',
    },
  },
] as const satisfies readonly ServiceDefinition[];

export type ServiceName = (typeof services)[number]['name'];

/** The services that use Redis, each as its own user. */
export type RedisServiceName = Extract<
  (typeof services)[number],
  { readonly redisKeys: readonly string[] }
>['name'];

/** The services that have tables. */
export type StoringServiceName = Extract<(typeof services)[number], { readonly schema: string }>['name'];

/** The same list, for code that treats all services alike. */
export const serviceDefinitions: readonly ServiceDefinition[] = services;

/** Returns the Node options that a service runs with, or throws an error that names the service. */
export function nodeOptionsOf(name: string): readonly string[] {
  const service = serviceDefinitions.find(definition => definition.name === name);
  if (!service) throw new Error(`Unknown service ${name}.`);
  return service.nodeOptions;
}

/** The schemas of all services that have tables. */
export function allSchemas(): string[] {
  return serviceDefinitions.flatMap(({ schema }) => schema ?? []);
}

/** Returns the schema of a service, or throws an error that names the service. */
export function schemaOf(name: StoringServiceName): string {
  const schema = serviceDefinitions.find(service => service.name === name)?.schema;
  if (!schema) throw new Error(`The service ${name} has no tables.`);
  return schema;
}
