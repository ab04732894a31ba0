import type { ServiceName } from '@mailproof/installation';

/** Names of modules that a service keeps loaded, by the folder of the package that depends on them. */
export type KeptLibraries = Readonly<Record<string, readonly string[]>>;

const kit = {
  'packages/service-kit': [
    '@opentelemetry/api',
    'express',
    'ipaddr.js',
    'jose',
    'lru-cache',
    'pg',
    'pino',
    'undici',
    'zod',
  ],
  'packages/shared-types': ['zod-openapi'],
};

const redis = { ...kit, 'packages/service-kit': [...kit['packages/service-kit'], 'ioredis'] };

const queues = {
  ...kit,
  'packages/service-kit': [...redis['packages/service-kit'], 'bullmq', 'bullmq-otel'],
};

/** For services that read the domains of companies. */
const withDomains = { ...queues, 'packages/shared-types': [...kit['packages/shared-types'], 'tldts'] };

/** The libraries that each service has loaded when it has nothing to do, without what they are used for. */
export const keptLibraries: Readonly<Record<ServiceName, KeptLibraries>> = {
  gateway: {
    ...queues,
    'services/gateway': [
      ...['@node-rs/argon2', '@prisma/adapter-pg', '@prisma/client/runtime/client', 'csv-parse'],
      ...['dataloader', 'sirv'],
    ],
  },
  'credit-ledger': kit,
  'validation-engine': {
    ...queues,
    'services/validation-engine': ['@streamparser/json', 'csv-parse', 'dns-packet', 'tldts'],
  },
  'mcp-server': {
    ...redis,
    'services/mcp-server': ['@modelcontextprotocol/server', 'oidc-provider'],
  },
  enrichment: {
    ...withDomains,
    'services/enrichment': ['csv-parse', 'i18n-iso-countries/index.js'],
  },
  'webhook-dispatcher': {
    ...withDomains,
    'services/webhook-dispatcher': [
      ...['content-disposition', 'csv-stringify', 'iconv-lite', 'oauth4webapi'],
      ...['standardwebhooks', 'yazl'],
    ],
  },
};
