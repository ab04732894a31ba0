import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchWithin } from './client.ts';
import { asProblem, problemOf } from './problem.ts';

const server = createServer((request, response) => {
  if (request.url === '/half') response.write('{');
  if (request.url === '/whole') response.end('{}');
});
let url: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a request with a deadline', () => {
  it('has its answer', async () => {
    const response = await fetchWithin(30_000)(new Request(`${url}/whole`));
    expect(await response.json()).toEqual({});
  });

  it.each(['/nothing', '/half'])('times out when nothing more arrives, and reports it: %s', async path => {
    const asked = fetchWithin(50)(new Request(`${url}${path}`)).then(response => response.json());
    const problem = asProblem(await asked.catch((error: unknown) => error));
    expect(problem).toMatchObject({ title: 'Mailproof is not responding', status: undefined });
  });

  it('ends when the caller aborts', async () => {
    const asker = new AbortController();
    const asked = fetchWithin(30_000)(new Request(`${url}/nothing`, { signal: asker.signal }));
    asker.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

it('says what to do when a proxy answers in place of the API', async () => {
  const answer = new Response('<h1>Bad Gateway</h1>', { status: 502 });
  expect(await problemOf(answer)).toMatchObject({
    title: 'The server responded with status 502',
    detail: 'Wait a minute, then try again.',
    status: 502,
  });
  expect((await problemOf(new Response('', { status: 404 }))).detail).toBeUndefined();
});
