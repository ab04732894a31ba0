import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchWithin } from './client.ts';
import { asProblem } from './problem.ts';

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
