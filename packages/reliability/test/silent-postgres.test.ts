import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { isStoreAway, openPostgres } from '@mailproof/service-kit';
import { openTcpProxy, type TcpProxy } from '../src/tcp-proxy.ts';

let database: TestDatabase;
let proxy: TcpProxy;

beforeAll(async () => {
  [database, proxy] = await Promise.all([createTestDatabase('gateway'), openTcpProxy()]);
});

afterAll(async () => {
  await proxy?.close();
  await database?.drop();
});

it('a connection to Postgres that a firewall has forgotten is given up, and another one is taken', async () => {
  const { databaseUrl } = database;
  proxy.aimAt([Number(new URL(databaseUrl).port)]);
  const pool = openPostgres({
    connectionString: Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href,
    schema: 'gateway',
    applicationName: 'test',
    connectionsMax: 1,
    onIdleError: () => undefined,
  });
  try {
    await pool.query('SELECT 1');
    proxy.trouble({ kind: 'silence' });
    const silent = pool.query('SELECT 1').catch((error: unknown) => error);
    expect(isStoreAway(await silent)).toBe(true);
    proxy.trouble();
    await expect(pool.query('SELECT 1')).resolves.toMatchObject({ rowCount: 1 });
  } finally {
    await pool.end();
  }
});
