import { expect, it } from '@jest/globals';
import { openPostgres } from './postgres.ts';

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
