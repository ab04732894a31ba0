import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { exchangeOctets } from '../src/http/exchange-octets.ts';

let server: Server;
let pool: Pool;
const held: { readonly path: string | undefined; readonly response: ServerResponse }[] = [];

beforeEach(async () => {
  held.length = 0;
  server = createServer((request, response) => void held.push({ path: request.url, response }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
});

afterEach(async () => {
  await pool.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

const ask = (path: string, signal: AbortSignal) => exchangeOctets(pool, { method: 'GET', path }, signal);

describe('a request that waits for a free connection', () => {
  it('ends with its signal, and is not sent later', async () => {
    const asked = once(server, 'request');
    const first = ask('/first', new AbortController().signal);
    await asked;
    const broken = new AbortController();
    const second = ask('/second', broken.signal);
    broken.abort(new Error('too late'));
    await expect(second).rejects.toThrow('too late');
    const third = ask('/third', new AbortController().signal);
    const thirdAsked = once(server, 'request');
    held[0]?.response.end('1');
    await thirdAsked;
    held[1]?.response.end('3');
    const answers = await Promise.all([first, third]);
    expect(answers.map(({ content }) => content.toString())).toEqual(['1', '3']);
    expect(held.map(({ path }) => path)).toEqual(['/first', '/third']);
  });

  it('is not sent if its signal was aborted before', async () => {
    await expect(ask('/', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(held).toEqual([]);
  });
});

it('a request that was sent is broken off by its signal', async () => {
  const broken = new AbortController();
  const asked = once(server, 'request');
  const answer = ask('/', broken.signal);
  await asked;
  const isLeft = once(held[0]?.response as ServerResponse, 'close');
  broken.abort(new Error('too late'));
  await expect(answer).rejects.toThrow('too late');
  await isLeft;
});
