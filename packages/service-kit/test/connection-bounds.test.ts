import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { holdBack } from '../src/http/client-connections.ts';
import { boundConnections, type ConnectionBounds } from '../src/http/connection-bounds.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()));
});

interface Served {
  readonly server: Server;
  readonly port: number;
  /** Requests that Node has parsed. */
  readonly parsed: string[];
  /** Requests that the application got, in order; `concurrencyMax` returns the most it handled at once. */
  readonly handled: string[];
  readonly concurrencyMax: () => number;
  /** The server's side of the connections. */
  readonly sockets: Socket[];
}

async function serve(handle: RequestListener, bounds: Partial<ConnectionBounds> = {}): Promise<Served> {
  const server = createServer();
  const [parsed, handled, sockets]: [string[], string[], Socket[]] = [[], [], []];
  let inFlight = 0;
  let concurrencyMax = 0;
  const counted: RequestListener = (request, response) => {
    handled.push(String(request.url));
    inFlight += 1;
    concurrencyMax = Math.max(concurrencyMax, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    handle(request, response);
  };
  boundConnections(server, counted, {
    ...{ connectionsMax: 100, connectionsPerAddressMax: 100, isProxy: () => false },
    onClientError: (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ...{ requestMsMax: 60_000, onLateRequest: response => response.destroy() },
    ...bounds,
  });
  server.on('connection', socket => sockets.push(socket));
  server.on('request', request => parsed.push(String(request.url)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, parsed, handled, concurrencyMax: () => concurrencyMax, sockets };
}

/** A client that writes octets and collects the answers. */
class Client {
  readonly socket: Socket;
  text = '';
  #answers = 0;
  #onChange: () => void = () => undefined;

  constructor(port: number, localAddress = '127.0.0.1') {
    this.socket = connect({ port, host: '127.0.0.1', localAddress });
    this.socket.setEncoding('latin1').on('error', () => undefined);
    this.socket.on('data', octets => {
      const chunk = String(octets);
      this.text += chunk;
      this.#answers += chunk.split(']').length - 1;
      this.#onChange();
    });
    this.socket.once('close', () => this.#onChange());
    open.push({ close: async () => void this.socket.destroy() });
  }

  /** Reads until `count` answers with a body have arrived, or the connection ends. */
  async answers(count: number): Promise<string[]> {
    await this.until(() => this.#answers >= count);
    return [...this.text.matchAll(/\r\n\r\n\[(.*?)\]/g)].map(([, body]) => String(body));
  }

  /** Waits until enough octets have arrived, or the connection ends. */
  async until(isEnough: () => boolean): Promise<void> {
    while (!isEnough() && !this.socket.destroyed) {
      await new Promise<void>(resolve => {
        this.#onChange = resolve;
      });
    }
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`);
const answer = (request: IncomingMessage, response: ServerResponse, headers = {}) => {
  const body = `[${request.url}]`;
  response.writeHead(200, { 'content-length': body.length, ...headers }).end(body);
};
const later: RequestListener = (request, response) => void setImmediate(answer, request, response);

/** Creates a handler that holds back its answers for the test to send. */
function patient() {
  const held: [IncomingMessage, ServerResponse][] = [];
  let arrived: (() => void) | undefined;
  const handle: RequestListener = (request, response) => {
    if (request.url === '/honest') {
      answer(request, response);
      return;
    }
    held.push([request, response]);
    arrived?.();
  };
  const untilHeld = async (count = 1) => {
    while (held.length < count) {
      await new Promise<void>(resolve => {
        arrived = resolve;
      });
    }
  };
  return { handle, held, untilHeld };
}

describe('requests of one connection', () => {
  it('are handled one after the other and answered in order, thousands of them', async () => {
    const served = await serve(later);
    const client = new Client(served.port);
    const flood = paths(5_000);
    client.socket.write(flood.map(get).join(''));
    expect(await client.answers(flood.length)).toEqual(flood);
    expect(served.handled).toEqual(flood);
    expect(served.concurrencyMax()).toBe(1);
  });

  it('are parsed no sooner than their turn comes, and their octets are not read without bound', async () => {
    const { handle, held, untilHeld } = patient();
    const served = await serve(handle);
    const client = new Client(served.port);
    const flood = paths(100_000);
    client.socket.write(flood.map(get).join(''));
    await untilHeld();
    // Meanwhile an honest client is served over one connection, which leaves time for octets to arrive.
    const honest = new Client(served.port);
    for (let asked = 1; asked <= 200; asked += 1) {
      honest.socket.write(get('/honest'));
      expect(await honest.answers(asked)).toHaveLength(asked);
    }
    expect(served.parsed.filter(path => path !== '/honest')).toEqual(['/0']);
    expect(served.sockets[0]?.bytesRead).toBeLessThan(200_000);
    for (const exchange of held.splice(0)) {
      answer(...exchange);
    }
    await untilHeld();
    expect(held[0]?.[0].url).toBe('/1');
  });

  it.each([1, 7, 30, 1_000])('are understood in pieces of %d octets', async size => {
    const served = await serve(later);
    const client = new Client(served.port);
    client.socket.setNoDelay(true);
    const octets = paths(20).map(get).join('');
    for (let at = 0; at < octets.length; at += size) {
      client.socket.write(octets.slice(at, at + size));
      await new Promise(setImmediate);
    }
    expect(await client.answers(20)).toEqual(paths(20));
    expect(served.concurrencyMax()).toBe(1);
  });

  it('may have bodies, which are read while their request is pending', async () => {
    const bodies: number[] = [];
    const served = await serve(async (request, response) => {
      let octets = 0;
      for await (const chunk of request) {
        octets += (chunk as Buffer).length;
      }
      bodies.push(octets);
      answer(request, response);
    });
    const client = new Client(served.port);
    // Consists of ends of heads, and is large enough for Node to pause the socket as well.
    const body = '\r\n\r\n'.repeat(100_000);
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    client.socket.write([post('/0'), get('/1'), post('/2'), get('/3'), get('/4')].join(''));
    expect(await client.answers(5)).toEqual(paths(5));
    expect(bodies).toEqual([body.length, 0, body.length, 0, 0]);
    expect(served.concurrencyMax()).toBe(1);
  });

  it('wait unparsed though each body comes with the next head', async () => {
    const { handle, held, untilHeld } = patient();
    const served = await serve(handle);
    const client = new Client(served.port);
    const head = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n';
    client.socket.write(head);
    // Each portion ends the previous body, and starts the next one right after the first kibibyte.
    const portion = `z${get('/small').repeat(31)}${head}`;
    expect([portion.length - head.length, portion.length]).toEqual([993, 1_044]);
    for (let sent = 0; sent < 200; sent += 1) client.socket.write(portion);
    await untilHeld();
    const honest = new Client(served.port);
    for (let asked = 1; asked <= 100; asked += 1) {
      honest.socket.write(get('/honest'));
      await honest.answers(asked);
    }
    const ofFlood = served.parsed.filter(path => path !== '/honest');
    expect(ofFlood.length).toBeLessThanOrEqual(50);
    expect(held).toHaveLength(1);
  });

  it('run in their own context, also if they waited behind a body', async () => {
    const context = new AsyncLocalStorage<string>();
    const inherited: (string | undefined)[] = [];
    const served = await serve((request, response) => {
      inherited.push(context.getStore());
      context.run(String(request.url), () => {
        request.resume().once('end', () => setImmediate(answer, request, response));
      });
    });
    const client = new Client(served.port);
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n`;
    client.socket.write(`${post('/1')}z${get('/2')}${post('/3')}`);
    await client.answers(2);
    client.socket.write(`z${get('/4')}`);
    expect(await client.answers(4)).toEqual(['/1', '/2', '/3', '/4']);
    expect(inherited).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('whose head arrived too slowly end the connection after the current response, and do not replace it', async () => {
    const { handle, held, untilHeld } = patient();
    const served = await serve(handle);
    const client = new Client(served.port);
    client.socket.write(get('/slow'));
    await untilHeld();
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    served.server.emit('clientError', late, served.sockets[0]);
    const [request, response] = held[0] ?? [];
    if (request && response) answer(request, response);
    await client.until(() => false);
    expect(await client.answers(1)).toEqual(['/slow']);
    expect(client.text).not.toContain('400');
  });

  it('continue after a body that was refused unread', async () => {
    const served = await serve(later);
    const client = new Client(served.port);
    const body = 'x'.repeat(300_000);
    client.socket.write(`POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    client.socket.write(get('/1'));
    expect(await client.answers(2)).toEqual(paths(2));
  });

  it('are dropped behind an answer that closes the connection', async () => {
    const served = await serve((request, response) => answer(request, response, { connection: 'close' }));
    const client = new Client(served.port);
    client.socket.write(paths(5_000).map(get).join(''));
    // The client can read the answer: the server reads and drops later input, so that nothing resets the connection.
    expect(await client.answers(2)).toEqual(['/0']);
    await untilClosed(served);
    expect(served.handled).toEqual(['/0']);
    expect(served.parsed).toEqual(['/0']);
  });

  it('are not started when the client has disconnected', async () => {
    const { handle, held, untilHeld } = patient();
    const served = await serve(handle);
    const client = new Client(served.port);
    client.socket.write(paths(50).map(get).join(''));
    await untilHeld();
    const [, response] = held[0] as [IncomingMessage, ServerResponse];
    const isOver = once(response, 'close');
    client.socket.resetAndDestroy();
    response.write('[');
    await isOver;
    expect(served.handled).toEqual(['/0']);
  });

  it('with an expectation that HTTP does not define are handled like all others', async () => {
    const served = await serve(later);
    const client = new Client(served.port);
    const expecting = (path: string) => get(path).replace('\r\n\r\n', '\r\nExpect: more\r\n\r\n');
    const flood = paths(1_000);
    client.socket.write(flood.map(expecting).join(''));
    expect(await client.answers(flood.length)).toEqual(flood);
    expect(served.concurrencyMax()).toBe(1);
  });

  it('that Node itself refuses close the connection, and only one is parsed', async () => {
    const served = await serve(later);
    const client = new Client(served.port);
    client.socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(3_000));
    await client.until(() => false);
    expect(client.text.match(/HTTP\/1\.1 400/g)).toHaveLength(1);
    expect(served.handled).toEqual([]);
  });
});

async function untilClosed({ sockets: [socket] }: Served): Promise<void> {
  if (socket && !socket.closed) {
    await once(socket, 'close');
  }
}

describe('a client that does not read', () => {
  it('has one answer made for it, and the next when it has read that', async () => {
    const size = 20_000_000;
    const served = await serve((request, response) => {
      if (request.url === '/honest') {
        answer(request, response);
      } else {
        response.writeHead(200, { 'content-length': size }).end('x'.repeat(size));
      }
    });
    const client = new Client(served.port);
    client.socket.pause();
    client.socket.write(paths(5).map(get).join(''));
    const honest = new Client(served.port);
    honest.socket.write(get('/honest'));
    await honest.answers(1);
    expect(served.handled.filter(path => path !== '/honest')).toEqual(['/0']);
    client.socket.resume();
    await client.until(() => client.text.length > 2 * size);
    expect(served.handled.filter(path => path !== '/honest').slice(0, 2)).toEqual(['/0', '/1']);
    expect(served.concurrencyMax()).toBeLessThanOrEqual(2);
  });

  it('is given up after a time without progress, and one that waits for its answer is not', async () => {
    const { handle, held, untilHeld } = patient();
    const served = await serve((request, response) => {
      if (request.url === '/unread') {
        response.writeHead(200).end('x'.repeat(20_000_000));
      } else {
        handle(request, response);
      }
    });
    served.server.timeout = 100;
    const waiting = new Client(served.port);
    waiting.socket.write(get('/0'));
    await untilHeld();
    const unread = new Client(served.port);
    unread.socket.pause();
    unread.socket.write(get('/unread'));
    const [, socket] = await untilTwo(served);
    await once(socket, 'close');
    answer(...(held[0] as [IncomingMessage, ServerResponse]));
    expect(await waiting.answers(1)).toEqual(['/0']);
  });

  async function untilTwo({ sockets, server }: Served): Promise<readonly [Socket, Socket]> {
    while (sockets.length < 2) {
      await once(server, 'connection');
    }
    return [sockets[0] as Socket, sockets[1] as Socket];
  }
});

describe('connections', () => {
  const isRefused = async (port: number) => {
    const client = new Client(port);
    client.socket.write(get('/'));
    return (await client.answers(1)).length === 0;
  };

  it('of one address are bounded, and closing one makes room', async () => {
    const served = await serve(later, { connectionsPerAddressMax: 2 });
    const [first, second] = [new Client(served.port), new Client(served.port)];
    for (const client of [first, second]) {
      client.socket.write(get('/'));
      await client.answers(1);
    }
    expect(await isRefused(served.port)).toBe(true);
    const isClosed = once(served.sockets[0] as Socket, 'close');
    first.socket.destroy();
    await isClosed;
    expect(await isRefused(served.port)).toBe(false);
    expect(second.socket.destroyed).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['a part of a head', 'GET / HTTP/1.1\r\n'],
    ['a part of a body that was refused unread', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx'],
    ['one request', get('/')],
    ['a request whose refusal is held back', get('/held')],
    ['a part of a body that is read', 'POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx'],
  ])('of a few addresses on which %s comes make room for other clients', async (_what, sent) => {
    const handle: RequestListener = (request, response) => {
      if (request.url === '/held') holdBack(request.socket);
      else if (request.url === '/read') request.resume().once('end', () => answer(request, response));
      else later(request, response);
    };
    const served = await serve(handle, { connectionsMax: 10, connectionsPerAddressMax: 5 });
    const open = async (localAddress: string) => {
      const isThere = once(served.server, 'connection');
      const client = new Client(served.port, localAddress);
      await isThere;
      return client;
    };
    const addresses = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? '127.0.0.2' : '127.0.0.3'));
    for (const address of addresses) (await open(address)).socket.write(sent);
    const honest = await open('127.0.0.4');
    honest.socket.write(get('/first'));
    expect(await honest.answers(1)).toEqual(['/first']);
    // Additional connections replace those of the same address, not the connection of a client that has only one.
    for (const address of addresses) (await open(address)).socket.write(sent);
    honest.socket.write(get('/second'));
    expect(await honest.answers(2)).toEqual(['/first', '/second']);
  });

  it('with a body that comes in give way after those of their address with a body that stalls', async () => {
    let octets = 0;
    const served = await serve(
      (request, response) => {
        if (request.url === '/honest') request.on('data', chunk => (octets += chunk.length));
        request.resume().once('end', () => answer(request, response));
      },
      { connectionsMax: 10 },
    );
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx`;
    const start = async (sent: string, localAddress = '127.0.0.2') => {
      const isParsed = once(served.server, 'request');
      const client = new Client(served.port, localAddress);
      client.socket.write(sent);
      await isParsed;
      return client;
    };
    const honest = await start(post('/honest'));
    const stalled: Client[] = [];
    for (let opened = 0; opened < 8; opened += 1) stalled.push(await start(post('/stalled')));
    honest.socket.write('y');
    await waitFor('The rest of the body has arrived', async () => octets === 2, { deadlineMs: 10_000 });
    await start(get('/next'), '127.0.0.3');
    await stalled[0]?.until(() => false);
    honest.socket.write('z');
    expect(await honest.answers(1)).toEqual(['/honest']);
    expect(stalled.slice(1).every(({ socket }) => !socket.destroyed)).toBe(true);
  });

  it('with a body that comes in outlast silent ones of many addresses with fewer connections each', async () => {
    const served = await serve(
      (request, response) => void request.resume().once('end', () => answer(request, response)),
      { connectionsMax: 200 },
    );
    const uploads = ['/0', '/1'].map(path => {
      const client = new Client(served.port, '127.0.0.2');
      client.socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx`);
      return client;
    });
    await waitFor('The uploads are running', async () => served.handled.length === 2, {
      deadlineMs: 10_000,
    });
    const silent: Client[] = [];
    for (let n = 0; n < 200; n += 1) {
      const isThere = once(served.server, 'connection');
      silent.push(new Client(served.port, `127.0.1.${n}`));
      await isThere;
    }
    for (const [n, client] of uploads.entries()) {
      client.socket.write('y');
      expect(await client.answers(1)).toEqual([`/${n}`]);
    }
    expect(silent.some(({ socket }) => socket.destroyed)).toBe(true);
  });

  it('that are idle make room at a proxy when nearly all are taken', async () => {
    const served = await serve(later, { connectionsMax: 10, isProxy: () => true });
    const idle = paths(9).map(path => {
      const client = new Client(served.port);
      client.socket.write(get(path));
      return client;
    });
    for (const client of idle) await client.answers(1);
    const next = new Client(served.port);
    next.socket.write(get('/next'));
    expect(await next.answers(1)).toEqual(['/next']);
    await Promise.all(idle.map(client => client.until(() => false)));
    const last = new Client(served.port);
    last.socket.write(get('/last'));
    expect(await last.answers(1)).toEqual(['/last']);
  });

  it.each(['room is made', 'the server closes'])('get the rest of an answer when %s', async what => {
    const octets = Buffer.alloc(20_000_000, 'x');
    const served = await serve(
      (request, response) => {
        if (request.url === '/large')
          response.writeHead(200, { 'content-length': octets.length }).end(octets);
        else answer(request, response);
      },
      { connectionsMax: 10, isProxy: () => true },
    );
    const slow = new Client(served.port);
    slow.socket.pause();
    slow.socket.write(get('/large'));
    for (let opened = 0; opened < 8; opened += 1) {
      const idle = new Client(served.port);
      idle.socket.write(get('/idle'));
      await idle.answers(1);
    }
    expect(served.handled).toContain('/large');
    if (what === 'room is made') {
      const next = new Client(served.port);
      next.socket.write(get('/next'));
      expect(await next.answers(1)).toEqual(['/next']);
    } else {
      served.server.close();
    }
    slow.socket.resume();
    await slow.until(() => slow.text.length > octets.length);
    expect(slow.text.length).toBeGreaterThan(octets.length);
  });

  it('end when the server closes if they are idle, but not during a request head', async () => {
    const served = await serve(later);
    const clients = [get('/0'), `${get('/0')}\r\n`, `${get('/0')}GET /1 HTTP`].map(sent => {
      const client = new Client(served.port);
      client.socket.write(sent);
      return client;
    });
    for (const client of clients) await client.answers(1);
    const [idle, afterEmptyLine, inHead] = clients;
    const sum = (counts: readonly number[]) => counts.reduce((one, other) => one + other, 0);
    const sent = sum(clients.map(({ socket }) => socket.bytesWritten));
    const isRead = async () => sum(served.sockets.map(({ bytesRead }) => bytesRead)) === sent;
    await waitFor('All is read', isRead, { deadlineMs: 10_000 });
    await new Promise(setImmediate);
    served.server.close();
    await Promise.all([idle?.until(() => false), afterEmptyLine?.until(() => false)]);
    inHead?.socket.write('/1.1\r\nHost: a\r\n\r\n');
    expect(await inHead?.answers(2)).toEqual(['/0', '/1']);
  });

  it('with a pending request are not ended to make room', async () => {
    const { handle, held, untilHeld } = patient();
    const served = await serve(handle, { connectionsMax: 10 });
    const asking = paths(9).map(path => {
      const client = new Client(served.port);
      client.socket.write(get(path));
      return client;
    });
    await untilHeld(asking.length);
    const honest = new Client(served.port, '127.0.0.2');
    honest.socket.write(get('/honest'));
    expect(await honest.answers(1)).toEqual(['/honest']);
    for (const exchange of held) answer(...exchange);
    const answers = await Promise.all(asking.map(client => client.answers(1)));
    expect(answers.flat().sort()).toEqual(paths(9));
  });

  it('of a trusted proxy carry many clients and count only toward the total limit', async () => {
    const served = await serve(later, {
      connectionsMax: 4,
      connectionsPerAddressMax: 1,
      isProxy: address => address === '127.0.0.1',
    });
    const outcomes: boolean[] = [];
    for (let opened = 0; opened < 6; opened += 1) {
      outcomes.push(await isRefused(served.port));
    }
    expect(outcomes).toEqual([false, false, false, false, true, true]);
  });

  it('are closed soon after the last response, even if the client keeps its side open', async () => {
    const served = await serve(later);
    const client = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write('NONSENSE\r\n\r\n');
    await once(client, 'end');
    client.write('x'.repeat(100_000));
    await once(served.sockets[0] as Socket, 'close');
    client.destroy();
    expect(served.handled).toEqual([]);
  });
});
