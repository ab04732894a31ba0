import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { openPostgres } from './postgres.ts';
import { isUnanswered, limitAnswers } from './unanswered-statements.ts';

it('reports connections that are lost while idle, but not those that it closes', async () => {
  const lost: string[] = [];
  const pool = openPostgres({
    connectionString: 'postgres://127.0.0.1:1/nowhere',
    schema: 'none',
    applicationName: 'test',
    connectionsMax: 1,
    onIdleError: ({ message }) => lost.push(message),
  });
  pool.emit('error', new Error('taken away'));
  const ended = pool.end();
  pool.emit('error', new Error('closed by both ends'));
  await ended;
  expect(lost).toEqual(['taken away']);
});

it('counts an answer that arrived in time while the process was busy', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await once(server, 'connection')) as [Socket];
  const client = {
    query: (_sql: unknown, _values: unknown, answered: (error: null, result: string) => void) =>
      socket.once('data', data => answered(null, data.toString())),
  };
  limitAnswers(client as unknown as PoolClient, 50);
  const ask = client.query as unknown as (sql: string) => Promise<string>;
  try {
    const answer = ask('SELECT 1');
    peer.write('one row');
    for (const endsMs = performance.now() + 100; performance.now() < endsMs; );
    expect(await answer).toBe('one row');
    expect(isUnanswered(await ask('SELECT pg_sleep(1)').catch((error: unknown) => error))).toBe(true);
  } finally {
    peer.destroy();
    socket.destroy();
    server.close();
  }
});
