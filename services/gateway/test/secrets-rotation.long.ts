import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Environment,
  installRedisUsers,
  type KillableServer,
  newSigningKey,
  operate,
  startPrivatePostgres,
  startPrivateRedis,
  waitFor,
} from '@mailproof/dev-house';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Customer, openTestHouse, type Person, type TestHouse, validating } from './house.ts';
import { blocksOf } from './page-commands.ts';

/*
 * Replaces the secrets of a whole installation with the procedures and commands in docs/secrets-rotation.md. Where the
 * page says that services keep running, the customer calls the replica that is not being restarted.
 */

const page = await readFile(new URL('../../../docs/secrets-rotation.md', import.meta.url), 'utf8');
const newPassword = randomBytes(16).toString('hex');

let postgres: KillableServer;
let redis: KillableServer;
let test: TestHouse;
let customer: Customer;
let owner: Person;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPrivatePostgres(), startPrivateRedis()]);
  test = await openTestHouse({
    inOneProcess: false,
    only: validating,
    replicas: { gateway: 2 },
    databaseAdminUrl: postgres.url,
    database: 'mailproof',
    redisUrl: redis.url,
  });
  customer = await test.open({ credits: 100 });
  owner = await (await test.owner({ accountId: customer.accountId })).signIn();
});

afterAll(async () => {
  await test?.stop();
  await Promise.all([postgres?.stop(), redis?.stop()]);
});

function service(name: string) {
  const found = test.house.services[name];
  if (!found) {
    throw new Error(`There is no service ${name}.`);
  }
  return found;
}

/** Restarts the gateways one by one; checks that the other one answers meanwhile, and both afterward. */
async function restartGateways(changed: Environment): Promise<void> {
  for (const [name, other] of [
    ['gateway', 'gateway-2'],
    ['gateway-2', 'gateway'],
  ] as const) {
    const restarted = service(name).restart(changed);
    const answer = await fetch(`${service(other).url}/api/v1/me`, {
      headers: { 'x-api-key': customer.apiKey },
    });
    expect(answer.status).toBe(200);
    await restarted;
  }
  await expectWell();
}

/** Checks that both gateways answer, charge and accept the session. */
async function expectWell(): Promise<void> {
  for (let replica = 0; replica < 2; replica += 1) {
    const { status, body } = await customer.validate('ada@ordinary.example');
    expect([status, body['result']]).toEqual([200, 'ok']);
    expect((await owner.get('/balance')).status).toBe(200);
  }
}

const shownKey = async () => (await owner.get('/api-key')).body['api_key'];

describe('a rotation', () => {
  it('of the ring that seals API keys leaves no key that the new ring does not open', async () => {
    const { gateway } = test.house.environments;
    const old = gateway['KEY_ENCRYPTION_KEYS'] ?? '';
    const fresh = `fresh:${randomBytes(32).toString('base64')}`;
    await restartGateways({ KEY_ENCRYPTION_KEYS: `${old},${fresh}` });
    await restartGateways({ KEY_ENCRYPTION_KEYS: `${fresh},${old}` });
    const changed = { ...gateway, KEY_ENCRYPTION_KEYS: `${fresh},${old}` };
    const operator = { environments: { ...test.house.environments, gateway: changed } };
    expect(await operate(operator, ['key', 'rotate'])).toMatch(/Encrypted 1 /);
    expect(await operate(operator, ['key', 'rotate'])).toMatch(/Encrypted 0 /);
    await restartGateways({ KEY_ENCRYPTION_KEYS: fresh });
    expect(await shownKey()).toBe(customer.apiKey);
  });

  it('of the password of Postgres is not noticed by customers, and the old role no longer has access', async () => {
    const old = test.house.databaseUrls['gateway']?.databaseUrl ?? '';
    const admin = new pg.Client({ connectionString: inDatabase(postgres.url) });
    await admin.connect();
    const [create = '', close = ''] = blocksOf(page, 'sql');
    await admin.query(create.replace('a new random password', newPassword));
    const url = new URL(old);
    url.username = 'mailproof_gateway_b';
    url.password = newPassword;
    await restartGateways({ DATABASE_URL: url.href });
    await admin.query(close);
    await admin.end();
    await expectWell();
    const refused = new pg.Client({ connectionString: old });
    await expect(refused.connect()).rejects.toThrow(/not permitted to log in/);
    await refused.end().catch(() => undefined);
  });

  it('of the password of Redis is not noticed by customers, and the old user no longer has access', async () => {
    const old = test.house.environments.gateway['REDIS_URL'] ?? '';
    const url = Object.assign(new URL(old), { username: 'mailproof_gateway_b', password: newPassword });
    await installRedisUsers(test.house, { gateway: url.href });
    await restartGateways({ REDIS_URL: url.href });
    const [end = ''] = blocksOf(page, 'redis');
    const console = new Redis(redis.url);
    for (const line of end.trim().split('\n')) {
      await command(console, line);
    }
    console.disconnect();
    await expectWell();
    await redis.restart();
    const isWell = () =>
      expectWell().then(
        () => true,
        () => false,
      );
    await waitFor('the gateways are connected to Redis again', isWell, { deadlineMs: 20_000 });
    const late = new Redis(old, { lazyConnect: true, retryStrategy: () => null });
    late.on('error', () => undefined);
    await expect(late.connect().then(() => late.ping())).rejects.toThrow();
  });

  it('of a service signing key takes effect in all services at once, and sessions and keys stay', async () => {
    const { gateway } = test.house.environments;
    const { keys } = JSON.parse(gateway['SERVICE_PEER_KEYS'] ?? '') as { keys: { kid: string }[] };
    const key = await newSigningKey('gateway');
    const { d: _private, ...publicPart } = key;
    const peers = JSON.stringify({ keys: [...keys.filter(({ kid }) => kid !== 'gateway'), publicPart] });
    const names = ['gateway', 'gateway-2', 'credit-ledger', 'validation-engine'];
    await Promise.all(names.map(name => service(name).stop()));
    await Promise.all(
      names.map(name =>
        service(name).restart({
          SERVICE_PEER_KEYS: peers,
          ...(name.startsWith('gateway') && { SERVICE_SIGNING_KEY: JSON.stringify(key) }),
        }),
      ),
    );
    await expectWell();
    expect(await shownKey()).toBe(customer.apiKey);
  });

  it('of the key of hashes of addresses forgets what was remembered, and nothing else', async () => {
    const remembered = () =>
      customer.post('/validate-single-email?details=true', '{"email":"ada@ordinary.example"}');
    expect((await remembered()).body['details']).toMatchObject({ sessions: [] });
    await service('validation-engine').restart({ ADDRESS_HASH_KEY: newPassword + newPassword });
    const { body } = await remembered();
    expect(body).toMatchObject({ result: 'ok', details: { age_seconds: 0 } });
    expect((body['details'] as { sessions: unknown[] }).sessions).not.toEqual([]);
    await expectWell();
    expect(await operate(test.house, ['ledger', 'audit'])).toMatch(/Faults: none/);
  });
});

function inDatabase(adminUrl: string): string {
  const url = new URL(adminUrl);
  url.pathname = '/mailproof';
  return url.href;
}

async function command(redis: Redis, line: string): Promise<void> {
  const [name = '', ...args] = line.trim().split(' ');
  await redis.call(name, ...args);
}
