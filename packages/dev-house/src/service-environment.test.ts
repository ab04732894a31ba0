import { describe, expect, test } from '@jest/globals';
import { serviceDefinitions } from '@mailproof/installation';
import { composeEnvironment, type HouseFacts } from './service-environment.ts';

const facts: HouseFacts = {
  secrets: {
    addressHashKey: 'hash-key',
    keyEncryptionKeys: 'key-ring',
    oauthEncryptionKeys: 'oauth-ring',
    providerEncryptionKeys: 'provider-ring',
    destinationEncryptionKeys: 'destination-ring',
    crmTokenEncryptionKeys: 'crm-ring',
    suppressionHashKey: 'suppression-key',
    signingKeys: {
      gateway: { kty: 'OKP', crv: 'Ed25519', x: 'gx', d: 'private', kid: 'gateway' },
      'credit-ledger': { kty: 'OKP', crv: 'Ed25519', x: 'lx', d: 'private', kid: 'credit-ledger' },
    },
  },
  databases: {
    gateway: { databaseUrl: 'postgres://runtime@gateway', migrationDatabaseUrl: 'postgres://owner@gateway' },
    ledger: { databaseUrl: 'postgres://runtime@ledger', migrationDatabaseUrl: 'postgres://owner@ledger' },
    validation: {
      databaseUrl: 'postgres://runtime@validation',
      migrationDatabaseUrl: 'postgres://owner@validation',
    },
  },
  redis: { adminUrl: 'redis://default:secret@own', hasUsers: true },
  serviceUrls: {
    'credit-ledger': { url: 'http://127.0.0.1:1', internalUrl: 'http://127.0.0.1:1' },
    gateway: { url: 'http://127.0.0.1:8080', internalUrl: 'http://127.0.0.1:3' },
    'mcp-server': { url: 'http://127.0.0.1:8090', internalUrl: 'http://127.0.0.1:4' },
  },
  publicUrls: { PUBLIC_BASE_URL: 'http://127.0.0.1:8080', MCP_PUBLIC_BASE_URL: 'http://127.0.0.1:8090' },
  labEnvironment: { VALIDATION_DNS_SERVERS: '127.0.0.1:53', VALIDATION_SMTP_PORT: '2525' },
  logLevel: 'info',
};

const urls = { url: 'http://127.0.0.1:4000', internalUrl: 'http://127.0.0.1:4001' };

function environmentOf(name: string, inherited: NodeJS.ProcessEnv = {}, overrides?: Record<string, string>) {
  const service = serviceDefinitions.find(each => each.name === name);
  if (!service) throw new Error(`There is no service ${name}.`);
  return composeEnvironment({ service, urls, facts, inherited, overrides });
}

describe('the environment of a service', () => {
  test('gives each service what it needs, and only that', () => {
    const common = [
      'HOST',
      'LOG_LEVEL',
      'OTEL_EXPORTER_PROMETHEUS_PORT',
      'OTEL_SERVICE_NAME',
      'PORT',
      'SERVICE_PEER_KEYS',
      'SERVICE_SIGNING_KEY',
      'SHUTDOWN_DEADLINE_MS',
    ];
    const names = (service: string): string[] => Object.keys(environmentOf(service)).sort();
    expect(names('gateway')).toEqual(
      [
        ...common,
        'CREDIT_LEDGER_URL',
        'DATABASE_URL',
        'ENRICHMENT_URL',
        'INTERNAL_PORT',
        'KEY_ENCRYPTION_KEYS',
        'MCP_SERVER_URL',
        'PUBLIC_BASE_URL',
        'REDIS_URL',
        'VALIDATION_ENGINE_URL',
        'WEBHOOK_DISPATCHER_URL',
      ].sort(),
    );
    expect(names('credit-ledger')).toEqual([...common, 'DATABASE_URL'].sort());
    expect(names('validation-engine')).toEqual(
      [
        ...common,
        'ADDRESS_HASH_KEY',
        'CREDIT_LEDGER_URL',
        'DATABASE_URL',
        'ENRICHMENT_URL',
        'REDIS_URL',
        'VALIDATION_DNS_SERVERS',
        'VALIDATION_SMTP_PORT',
      ].sort(),
    );
  });

  test('passes the public URLs of the tool server and the application to the tool server', () => {
    expect(environmentOf('mcp-server')).toMatchObject({
      MCP_PUBLIC_BASE_URL: 'http://127.0.0.1:8090',
      PUBLIC_BASE_URL: 'http://127.0.0.1:8080',
      OAUTH_ENCRYPTION_KEYS: 'oauth-ring',
    });
    expect(environmentOf('gateway')).not.toHaveProperty('OAUTH_ENCRYPTION_KEYS');
  });

  test('does not give the tool server the keys that seal API keys', () => {
    expect(environmentOf('mcp-server')).not.toHaveProperty('KEY_ENCRYPTION_KEYS');
  });

  test('gives peers the internal port', () => {
    expect(environmentOf('mcp-server')).toMatchObject({ GATEWAY_URL: 'http://127.0.0.1:3' });
    expect(environmentOf('gateway')).toMatchObject({
      CREDIT_LEDGER_URL: 'http://127.0.0.1:1',
      MCP_SERVER_URL: 'http://127.0.0.1:4',
    });
  });

  test('gives the user’s settings precedence', () => {
    const user = { VALIDATION_SMTP_PORT: '25', VALIDATION_HELO_NAME: 'me.example', LOG_LEVEL: 'debug' };
    expect(environmentOf('validation-engine', user)).toMatchObject(user);
  });

  test('gives the overrides of a test precedence over everything', () => {
    const overrides = { LOG_LEVEL: 'trace', PORT: '1' };
    expect(environmentOf('gateway', { LOG_LEVEL: 'debug' }, overrides)).toMatchObject(overrides);
  });

  test('never passes the administrator’s database or another service’s Redis to a service', () => {
    const user = {
      DATABASE_URL: 'postgres://admin',
      REDIS_URL: 'redis://given',
      PORT: '80',
      INTERNAL_PORT: '81',
      HOST: '0.0.0.0',
    };
    expect(environmentOf('gateway', user)).toMatchObject({
      DATABASE_URL: 'postgres://runtime@gateway',
      REDIS_URL: expect.stringMatching(/^redis:\/\/mailproof_gateway:[\w-]{43}@own$/),
      PORT: '4000',
      INTERNAL_PORT: '4001',
      HOST: '127.0.0.1',
    });
    expect(environmentOf('credit-ledger', user)).toMatchObject({ DATABASE_URL: 'postgres://runtime@ledger' });
    expect(environmentOf('credit-ledger', user)).not.toHaveProperty('REDIS_URL');
  });

  test('passes only the public keys of peers', () => {
    const { SERVICE_PEER_KEYS = '', SERVICE_SIGNING_KEY = '' } = environmentOf('gateway');
    expect(SERVICE_PEER_KEYS).not.toContain('private');
    expect(JSON.parse(SERVICE_PEER_KEYS).keys.map((key: { kid: string }) => key.kid)).toEqual([
      'gateway',
      'credit-ledger',
    ]);
    expect(JSON.parse(SERVICE_SIGNING_KEY)).toMatchObject({ kid: 'gateway', d: 'private' });
  });
});
