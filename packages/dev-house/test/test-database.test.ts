import { afterAll, describe, expect, test } from '@jest/globals';
import { withClient } from '@mailproof/installation';
import { Redis } from 'ioredis';
import { createTestDatabase, type TestDatabase, testRedisUrl } from '../src/index.ts';

describe('the databases of a test file', () => {
  const databases: TestDatabase[] = [];
  afterAll(() => Promise.all(databases.map(database => database.drop())));

  test('what one writes, another does not see', async () => {
    const [first, second] = await Promise.all([createTestDatabase('gateway'), createTestDatabase('gateway')]);
    databases.push(first, second);
    await withClient(first.ownerUrl, client => client.query('CREATE TABLE only_here (id int)'));
    const inSecond = withClient(second.ownerUrl, client => client.query('SELECT FROM only_here'));
    await expect(inSecond).rejects.toMatchObject({ code: '42P01' });
  });

  test('only the service’s own role can connect to its database', async () => {
    const [gateway, ledger] = await Promise.all([
      createTestDatabase('gateway'),
      createTestDatabase('credit-ledger'),
    ]);
    databases.push(gateway, ledger);
    const path = await withClient(gateway.databaseUrl, client => client.query('SHOW search_path'));
    expect(path.rows).toEqual([{ search_path: 'gateway' }]);
    const foreign = new URL(gateway.databaseUrl);
    foreign.username = new URL(ledger.databaseUrl).username;
    foreign.password = new URL(ledger.databaseUrl).password;
    await expect(withClient(foreign.href, client => client.query('SELECT 1'))).rejects.toMatchObject({
      code: '42501',
    });
  });

  test('the schema carries the service’s migrations from the start', async () => {
    const ledger = await createTestDatabase('credit-ledger');
    databases.push(ledger);
    const { rows } = await withClient(ledger.ownerUrl, client =>
      client.query(`SELECT nspname FROM pg_namespace WHERE nspname = 'ledger'`),
    );
    expect(rows).toEqual([{ nspname: 'ledger' }]);
  });

  test('a database is dropped even with open connections', async () => {
    const database = await createTestDatabase('gateway');
    await withClient(database.ownerUrl, async client => {
      client.on('error', () => undefined);
      await database.drop();
    }).catch(() => undefined);
    await expect(withClient(database.ownerUrl, client => client.query('SELECT 1'))).rejects.toMatchObject({
      code: '3D000',
    });
  });

  test('each get their own empty Redis database', async () => {
    const urls = await Promise.all([testRedisUrl(), testRedisUrl()]);
    expect(new Set(urls).size).toBe(2);
    const [first, second] = urls.map(url => new Redis(url));
    try {
      await first?.set('only-here', '1');
      await expect(second?.get('only-here')).resolves.toBeNull();
    } finally {
      first?.disconnect();
      second?.disconnect();
    }
  });
});
