import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { inTransaction, isStoreUnavailable, openPostgres } from '@mailproof/service-kit';
import { openTcpProxy } from '../src/tcp-proxy.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('gateway');
});

afterAll(() => database?.drop());

async function openSilenced(connectionsMax: number) {
  const { databaseUrl } = database;
  const proxy = await openTcpProxy();
  proxy.aimAt([Number(new URL(databaseUrl).port)]);
  const pool = openPostgres({
    connectionString: Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href,
    schema: 'gateway',
    applicationName: 'test',
    connectionsMax,
    onIdleError: () => undefined,
  });
  return {
    proxy,
    pool,
    async close() {
      await pool.end();
      await proxy.close();
    },
  };
}

describe('connections to Postgres that a firewall has forgotten', () => {
  it.concurrent('are given up together, when one of them is found out', async () => {
    const { proxy, pool, close } = await openSilenced(4);
    const open = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    const held = open[0] as (typeof open)[0];
    try {
      for (const client of open.slice(1)) client.release();
      // Connections that were opened after the statement stay open, and the clock has a resolution of only a
      // millisecond.
      await new Promise(resolve => setTimeout(resolve, 50));
      proxy.trouble({ kind: 'silence' });
      const silent = pool.query('SELECT 1').catch((error: unknown) => error);
      // This query is sent much later than the first, so its own timeout would also be much later.
      const late = new Promise(resolve => setTimeout(resolve, 4_000)).then(() =>
        held.query('SELECT 1').then(
          () => 'answered',
          (error: unknown) => error,
        ),
      );
      expect(isStoreUnavailable(await silent)).toBe(true);
      proxy.trouble();
      // It fails together with the first, not after its own timeout.
      expect(await late).toMatchObject({ message: 'Connection terminated' });
    } finally {
      // The pool does not end while a client is checked out: a failed assertion would hang.
      held.release(true);
    }
    try {
      const answers = await Promise.all(Array.from({ length: 4 }, () => pool.query('SELECT 1')));
      expect(answers.map(({ rowCount }) => rowCount)).toEqual([1, 1, 1, 1]);
    } finally {
      await close();
    }
  });

  it.concurrent('are not asked to roll back what they do not answer', async () => {
    const { proxy, pool, close } = await openSilenced(1);
    try {
      const broken = await inTransaction(pool, async client => {
        await client.query('SELECT 1');
        proxy.trouble({ kind: 'silence' });
        await client.query('SELECT 1');
      }).catch((error: unknown) => error);
      expect(isStoreUnavailable(broken)).toBe(true);
      expect(pool.totalCount).toBe(0);
      proxy.trouble();
      await expect(pool.query('SELECT 1')).resolves.toMatchObject({ rowCount: 1 });
    } finally {
      await close();
    }
  });

  it.concurrent('are not used again when they come back in the middle of a transaction', async () => {
    const { pool, close } = await openSilenced(1);
    try {
      const client = await pool.connect();
      const { rows: before } = await client.query('SELECT pg_backend_pid() AS pid');
      await client.query('BEGIN');
      client.release();
      const { rows: after } = await pool.query('SELECT pg_backend_pid() AS pid');
      expect(after).not.toEqual(before);
    } finally {
      await close();
    }
  });

  it.concurrent('do not end the process when they break while checked out', async () => {
    const { pool, close } = await openSilenced(2);
    try {
      const client = await pool.connect();
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      const isOver = new Promise(resolve => client.once('end', resolve));
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
      await isOver;
      expect(isStoreUnavailable(await client.query('SELECT 1').catch((error: unknown) => error))).toBe(true);
      client.release(true);
    } finally {
      await close();
    }
  });
});
