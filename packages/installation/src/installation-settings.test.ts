import { describe, expect, test } from '@jest/globals';
import { databaseUrlSetting, readInstallationSettings, redisUrlSetting } from './installation-settings.ts';
import { redisServices } from './redis-users.ts';
import { runtimeRole } from './role-sql.ts';
import { services } from './services.ts';

const environment = {
  MIGRATION_DATABASE_URL: 'postgres://admin:secret@db/postgres',
  ...Object.fromEntries(
    services.map(({ name, schema }) => [
      databaseUrlSetting(name),
      `postgres://${runtimeRole(schema)}:hush@db/mailproof`,
    ]),
  ),
};

function faultsOf(changes: NodeJS.ProcessEnv): string {
  try {
    readInstallationSettings({ ...environment, ...changes });
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('the settings of an installation', () => {
  test('are the administrator’s address and one for each service', () => {
    expect(databaseUrlSetting('credit-ledger')).toBe('CREDIT_LEDGER_DATABASE_URL');
    expect(readInstallationSettings(environment)).toMatchObject({
      adminUrl: environment.MIGRATION_DATABASE_URL,
      databaseUrls: { 'credit-ledger': 'postgres://mailproof_ledger:hush@db/mailproof' },
    });
  });

  test('may name a successor of a role, but not its owner', () => {
    const successor = 'postgres://mailproof_gateway_b:hush@db/mailproof';
    expect(faultsOf({ GATEWAY_DATABASE_URL: successor })).toBe('');
    const owner = 'postgres://mailproof_gateway_owner:hush@db/mailproof';
    expect(faultsOf({ GATEWAY_DATABASE_URL: owner })).toContain('must have the user mailproof_gateway');
  });

  test('include a Redis administrator only if Redis users are to be created', () => {
    expect(readInstallationSettings(environment).redis).toBeUndefined();
    const redis = Object.fromEntries(
      redisServices.map(({ name, user }) => [redisUrlSetting(name), `redis://${user}:hush@redis`]),
    );
    const settings = { ...environment, ...redis, MIGRATION_REDIS_URL: 'rediss://default:secret@redis' };
    expect(readInstallationSettings(settings).redis?.urls.gateway).toBe(
      'redis://mailproof_gateway:hush@redis',
    );
    const missing = faultsOf({ ...settings, MCP_SERVER_REDIS_URL: undefined });
    expect(missing).toContain('MCP_SERVER_REDIS_URL must be a URL');
    const shared = faultsOf({ ...settings, GATEWAY_REDIS_URL: 'redis://:hush@redis' });
    expect(shared).toContain('GATEWAY_REDIS_URL must have the user mailproof_gateway');
    const open = faultsOf({ ...settings, ENRICHMENT_REDIS_URL: 'redis://mailproof_enrichment_b@redis' });
    expect(open).toContain('ENRICHMENT_REDIS_URL must have a password');
  });

  test('are reported together if they are missing', () => {
    const faults = faultsOf({ MIGRATION_DATABASE_URL: '', MCP_SERVER_DATABASE_URL: undefined });
    expect(faults).toContain('MIGRATION_DATABASE_URL must be a URL');
    expect(faults).toContain('MCP_SERVER_DATABASE_URL must be a URL');
  });

  test.each([
    ['another role', 'postgres://somebody:hush@db/mailproof', 'must have the user mailproof_gateway'],
    ['no password', 'postgres://mailproof_gateway@db/mailproof', 'must have a password'],
    ['another database', 'postgres://mailproof_gateway:hush@db/other', 'the same database'],
    ['another kind of store', 'mysql://mailproof_gateway:hush@db/mailproof', 'must be a URL'],
  ])('are refused in a sentence, without their passwords: %s', (_case, GATEWAY_DATABASE_URL, sentence) => {
    const faults = faultsOf({ GATEWAY_DATABASE_URL });
    expect(faults).toContain(sentence);
    expect(faults).not.toContain('hush');
  });
});
