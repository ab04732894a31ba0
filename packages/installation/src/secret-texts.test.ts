import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { readInstallationSettings } from './installation-settings.ts';
import { asEnvFile, asKubernetesSecrets, newInstallationSecrets } from './secret-texts.ts';
import { services } from './services.ts';

const locations = { postgres: 'db.internal:5432', database: 'mailproof', redis: 'redis.internal:6379' };

interface Secret {
  readonly metadata: { readonly name: string };
  readonly stringData: Readonly<Record<string, string>>;
}

function secretsIn(text: string): Secret[] {
  return text
    .split('---\n')
    .filter(Boolean)
    .map(each => JSON.parse(each) as Secret);
}

describe('the secrets of a new installation', () => {
  test('are an env file from which the migration reads its settings', async () => {
    const env = parseEnv(asEnvFile(await newInstallationSecrets(locations)));
    const { adminUrl, databaseUrls, redis } = readInstallationSettings(env);
    expect(redis?.adminUrl).toBe(`redis://default:${env['REDIS_PASSWORD']}@redis.internal:6379`);
    expect(redis?.urls.enrichment).toBe(env['ENRICHMENT_REDIS_URL']);
    expect(new Set(Object.values(redis?.urls ?? {}).map(url => new URL(url).password)).size).toBe(5);
    expect(adminUrl).toBe(`postgres://postgres:${env['POSTGRES_PASSWORD']}@db.internal:5432/mailproof`);
    expect(databaseUrls.gateway).toBe(env['GATEWAY_DATABASE_URL']);
    expect(JSON.parse(env['GATEWAY_SERVICE_SIGNING_KEY'] ?? '')).toMatchObject({ kid: 'gateway' });
  });

  test('are a Secret for each service, which holds only its own private key', async () => {
    const secrets = await newInstallationSecrets(locations);
    const byName = new Map(
      secretsIn(asKubernetesSecrets(secrets, 'mp')).map(({ metadata, stringData }) => [
        metadata.name,
        stringData,
      ]),
    );
    for (const { name } of services) {
      const own = byName.get(`mp-${name}`) ?? {};
      expect(JSON.parse(own['SERVICE_SIGNING_KEY'] ?? '')).toMatchObject({
        kid: name,
        d: expect.any(String),
      });
      const peers = JSON.parse(own['SERVICE_PEER_KEYS'] ?? '') as { keys: { kid: string }[] };
      expect(peers.keys.map(({ kid }) => kid)).toEqual(services.map(service => service.name));
      expect(peers.keys.every(key => !('d' in key))).toBe(true);
    }
    expect([...byName.keys()]).toEqual(
      expect.arrayContaining(['mp-migrate', 'mp-stores', 'mp-gateway', 'mp-webhook-dispatcher']),
    );
    expect(byName.get('mp-credit-ledger')).not.toHaveProperty('REDIS_URL');
  });

  test('are new each time, and only the gateway can open API keys', async () => {
    const [first, second] = await Promise.all([
      newInstallationSecrets(locations),
      newInstallationSecrets(locations),
    ]);
    expect(first.services['gateway']?.['KEY_ENCRYPTION_KEYS']).not.toBe(
      second.services['gateway']?.['KEY_ENCRYPTION_KEYS'],
    );
    const holders = Object.entries(first.services).filter(([, own]) => 'KEY_ENCRYPTION_KEYS' in own);
    expect(holders.map(([name]) => name)).toEqual(['gateway']);
  });
});
