import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  installRedis,
  newInstallationSecrets,
  provisionRedis,
  type RedisServiceName,
  type RedisSettings,
  readInstallationSettings,
  redisServices,
  services,
  withClient,
} from '@mailproof/installation';
import { Redis } from 'ioredis';
import { type KillableServer, startPrivatePostgres, startPrivateRedis } from '../src/private-servers.ts';
import { projectRoot } from '../src/project-root.ts';
import { answerOfRedis } from '../src/test-redis.ts';

const run = promisify(execFile);
const program = join(projectRoot, 'packages/installation/src/main.ts');

/**
 * Roles belong to the whole cluster, and other tests set other passwords for them, so this suite has its own cluster.
 */
describe('an installation on a Postgres whose administrator is no superuser', () => {
  let postgres: KillableServer;
  let environment: Readonly<Record<string, string>> = {};

  let redis: KillableServer;

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPrivatePostgres(), startPrivateRedis()]);
    await withClient(postgres.url, admin =>
      admin.query(`CREATE ROLE administrator LOGIN CREATEDB CREATEROLE PASSWORD 'of-administrator'`),
    );
    const { host } = new URL(postgres.url);
    const { migrate } = await newInstallationSecrets({
      postgres: host,
      database: 'mailproof',
      redis: new URL(redis.url).host,
    });
    environment = {
      ...migrate,
      MIGRATION_REDIS_URL: redis.url,
      MIGRATION_DATABASE_URL: `postgres://administrator:of-administrator@${host}/postgres`,
    };
  });
  afterAll(() => Promise.all([postgres.stop(), redis.stop()]));

  function migrate(changes: Readonly<Record<string, string>> = {}): Promise<{ stdout: string }> {
    const env = { PATH: process.env['PATH'], ...environment, ...changes };
    return run(process.execPath, [program], { env });
  }

  test('migrates every service, does nothing the second time, and gives each service access', async () => {
    const first = await migrate();
    for (const { name } of services) expect(first.stdout).toMatch(new RegExp(`^${name}: applied 0001_`, 'm'));
    const second = await migrate();
    for (const { name } of services) expect(second.stdout).toContain(`${name}: nothing new.`);
    for (const { name, schema } of services) {
      const url = environment[`${name.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`] ?? '';
      const { rows } = await withClient(url, client => client.query('SELECT current_schema() AS schema'));
      expect(rows).toEqual([{ schema }]);
    }
  });

  test('gives a successor the access of its predecessor, and restores no login that was removed', async () => {
    await migrate();
    const before = new URL(environment['GATEWAY_DATABASE_URL'] ?? '');
    await withClient(postgres.url, admin => admin.query('ALTER ROLE mailproof_gateway NOLOGIN'));
    const after = Object.assign(new URL(before), {
      username: 'mailproof_gateway_b',
      password: 'of-successor',
    });
    const { stdout } = await migrate({ GATEWAY_DATABASE_URL: after.href });
    expect(stdout).toContain('gateway: nothing new.');
    const { rows } = await withClient(after.href, client =>
      client.query('SELECT count(*)::int FROM account'),
    );
    expect(rows).toEqual([{ count: 0 }]);
    await expect(withClient(before.href, () => Promise.resolve())).rejects.toThrow('not permitted to log in');
  });

  test('leaves Redis unchanged without its administrator URL, and reports it', async () => {
    const { stdout } = await migrate({ MIGRATION_REDIS_URL: '' });
    expect(stdout).toContain('MIGRATION_REDIS_URL is not set, so no Redis users were created');
  });

  test('names what is missing, and exits with 1', async () => {
    await expect(run(process.execPath, [program], { env: {} })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GATEWAY_DATABASE_URL must be a URL'),
    });
  });
});

describe('an installation on a Redis', () => {
  let redis: KillableServer;
  let settings: RedisSettings;
  let said: string[] = [];

  beforeEach(async () => {
    redis = await startPrivateRedis();
    const { host } = new URL(redis.url);
    const locations = { postgres: 'none', database: 'none', redis: host };
    const { migrate } = await newInstallationSecrets(locations);
    const given = { ...migrate, MIGRATION_REDIS_URL: redis.url };
    settings = readInstallationSettings(given).redis as RedisSettings;
    said = [];
  });
  afterEach(() => redis.stop());

  const install = (changes: Partial<RedisSettings> = {}) =>
    installRedis({ ...settings, ...changes }, line => said.push(line));

  function urlOf(service: RedisServiceName): string {
    return settings.urls[service];
  }

  test('gives each service access, even after a second run and after Redis was killed', async () => {
    await install();
    await install();
    expect(said).toEqual(Array(2).fill('Redis has a user for each service.'));
    for (const { name } of redisServices) expect(await answerOfRedis(urlOf(name))).toBe('PONG');
    await redis.restart();
    for (const { name } of redisServices) expect(await answerOfRedis(urlOf(name))).toBe('PONG');
    await expect(answerOfRedis(`redis://${new URL(redis.url).host}`)).resolves.toMatch(/NOAUTH/);
  });

  test('accepts a changed password and rejects the earlier one', async () => {
    await install();
    const earlier = urlOf('gateway');
    const later = Object.assign(new URL(earlier), { password: 'of-the-rotation' }).href;
    await install({ urls: { ...settings.urls, gateway: later } });
    await redis.restart();
    expect(await answerOfRedis(later)).toBe('PONG');
    expect(await answerOfRedis(earlier)).toMatch(/WRONGPASS/);
  });

  test('creates a successor with the privileges of its predecessor, which stays until it is deleted', async () => {
    await install();
    const before = urlOf('gateway');
    const after = Object.assign(new URL(before), { username: 'mailproof_gateway_b', password: 'new' }).href;
    await install({ urls: { ...settings.urls, gateway: after } });
    expect(await answerOfRedis(before)).toBe('PONG');
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'DELUSER', 'mailproof_gateway');
    await admin.call('ACL', 'SAVE');
    admin.disconnect();
    await redis.restart();
    expect(await answerOfRedis(after)).toBe('PONG');
    expect(await answerOfRedis(before)).toMatch(/WRONGPASS/);
    const successor = new Redis(after);
    await expect(successor.set('rate:gateway:x', '1')).resolves.toBe('OK');
    await expect(successor.set('oauth:x', '1')).rejects.toThrow('NOPERM');
    successor.disconnect();
  });

  test('says what to do if its administrator is not allowed to create users', async () => {
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', 'managed', 'on', '>secret', '~*', '+@all', '-acl');
    admin.disconnect();
    const managed = Object.assign(new URL(redis.url), { username: 'managed', password: 'secret' }).href;
    await expect(install({ adminUrl: managed })).rejects.toThrow(/NOPERM.*migrate redis-users/);
    await expect(provisionRedis(managed)).resolves.toContain('share the user of REDIS_URL');
  });

  test('says that Redis cannot be reached, and repeats no password', async () => {
    const failure = install({ adminUrl: 'redis://default:hush@127.0.0.1:1' });
    await expect(failure).rejects.toThrow('Redis at 127.0.0.1:1 cannot be reached');
    await expect(failure).rejects.not.toThrow('hush');
  });

  test('prints commands that make the same users by hand', async () => {
    const { stdout } = await run(process.execPath, [program, 'redis-users'], { env: {} });
    const admin = new Redis(redis.url);
    await install();
    const rulesOf = async (user: string) => {
      const rules = (await admin.call('ACL', 'GETUSER', user)) as unknown[];
      return JSON.stringify(rules.slice(4));
    };
    const made = await Promise.all(redisServices.map(({ user }) => rulesOf(user)));
    for (const { user } of redisServices) await admin.call('ACL', 'DELUSER', user);
    for (const line of stdout.trimEnd().split('\n')) await admin.call(...(line.split(' ') as [string]));
    expect(await Promise.all(redisServices.map(({ user }) => rulesOf(user)))).toEqual(made);
    admin.disconnect();
  });
});
