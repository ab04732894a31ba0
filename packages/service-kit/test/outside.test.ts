import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, LookupFunction, Server } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTestCertificate } from '@mailproof/dev-house';
import { createAddressGuard } from '../src/net/address-guard.ts';
import { createOutside, type Outside, type OutsideOptions } from '../src/net/outside.ts';

const bytesMax = 65_536;
const certificate = makeTestCertificate('DNS:public.example');
let plain: Server;
let tls: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
/** DNS answers for each name, in turn; the last one repeats. */
let zone: Record<string, string[][]>;
let lookedUp: string[];
let arrived: { method?: string | undefined; url?: string | undefined; headers: IncomingMessage['headers'] }[];
const opened: Outside[] = [];

beforeAll(async () => {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    arrived.push({ method: request.method, url: request.url, headers: request.headers });
    answer(request, response);
  };
  plain = createServer(handle).listen(0, '127.0.0.1');
  tls = createTlsServer(certificate, handle).listen(0, '127.0.0.1');
  await Promise.all([once(plain, 'listening'), once(tls, 'listening')]);
});

afterAll(async () => {
  await Promise.all(opened.map(each => each.close()));
  for (const server of [plain, tls]) {
    (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  }
});

beforeEach(() => {
  zone = { 'public.example': [['127.0.0.1']] };
  lookedUp = [];
  arrived = [];
  answer = (_request, response) => response.end('hello');
});

const lookup: LookupFunction = (name, _options, callback) => {
  lookedUp.push(name);
  const answers = zone[name];
  const addresses = answers && answers.length > 1 ? answers.shift() : answers?.[0];
  if (addresses === undefined) {
    callback(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []);
  } else {
    callback(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }
};

/** Opens a client whose guard treats one loopback address as public, and handles all others as usual. */
function openOutside(options: Partial<OutsideOptions> = {}): Outside {
  const outside = createOutside({
    guard: createAddressGuard(['127.0.0.1/32']),
    allowsHttp: true,
    lookup,
    extraCa: certificate.cert,
    ...options,
  });
  opened.push(outside);
  return outside;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const ask = (outside: Outside, url: string, more: object = {}) =>
  outside.request({ url: new URL(url), deadlineMs: 20_000, bytesMax, ...more });
const here = (path = '/', host = 'public.example') => `http://${host}:${portOf(plain)}${path}`;
const fault = (kind: string) => expect.objectContaining({ name: 'OutsideFault', kind });

describe('a request to the outside', () => {
  it('answers status, headers and body, over HTTP and HTTPS', async () => {
    const outside = openOutside();
    const url = `https://public.example:${portOf(tls)}/a?b=c`;
    for (const each of [here('/a?b=c'), url]) {
      const { status, body } = await ask(outside, each, {
        method: 'POST',
        headers: { 'x-one': '1' },
        body: 'text',
      });
      expect([status, Buffer.from(body).toString()]).toEqual([200, 'hello']);
    }
    expect(arrived).toMatchObject([
      { method: 'POST', url: '/a?b=c', headers: { 'x-one': '1' } },
      { method: 'POST', url: '/a?b=c', headers: { 'x-one': '1' } },
    ]);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('reads a body in %s', async (encoding, compress) => {
    answer = (_request, response) => response.setHeader('content-encoding', encoding).end(compress('hello'));
    expect(Buffer.from((await ask(openOutside(), here())).body).toString()).toBe('hello');
  });

  it('returns a redirect instead of following it', async () => {
    answer = (_request, response) => response.writeHead(302, { location: here('/there') }).end();
    expect(await ask(openOutside(), here())).toMatchObject({
      status: 302,
      headers: { location: here('/there') },
    });
    expect(arrived).toHaveLength(1);
  });

  it('connects to the port that replaces another', async () => {
    const outside = openOutside({ ports: [443], connectPort: () => portOf(tls) });
    expect((await ask(outside, 'https://public.example/')).status).toBe(200);
  });
});

describe('a request of which the status counts', () => {
  const askStatus = (more: object = {}) =>
    ask(openOutside(), here(), { beginningOnly: true, bytesMax: 5, ...more });

  it.each<[string, typeof answer, string]>([
    ['short', (_request, response) => response.end('hey'), 'hey'],
    ['too large', (_request, response) => response.end('x'.repeat(1_000_000)), 'xxxxx'],
    [
      'without end',
      (_request, response) => {
        const more = () => void (response.destroyed || response.write('x'.repeat(16_384), more));
        more();
      },
      'xxxxx',
    ],
    [
      'not what it says it is',
      (_request, response) => response.setHeader('content-encoding', 'gzip').end('no'),
      'no',
    ],
    [
      'broken off',
      (_request, response) =>
        response.setHeader('content-length', '100').write('he', () => response.socket?.destroy()),
      'he',
    ],
  ])('answers it even with a body that is %s', async (_what, behaves, beginning) => {
    answer = behaves;
    const { status, body } = await askStatus();
    expect([status, Buffer.from(body).toString()]).toEqual([200, beginning]);
  });

  it('answers it when the body comes too late', async () => {
    answer = (_request, response) => void response.write('h');
    const { status, body } = await askStatus({ deadlineMs: 200 });
    expect([status, Buffer.from(body).toString()]).toEqual([200, 'h']);
  });

  it('fails without it', async () => {
    answer = () => undefined;
    await expect(askStatus({ deadlineMs: 200 })).rejects.toEqual(fault('too_late'));
  });
});

describe('a connection', () => {
  const portsOf = async (options: Partial<OutsideOptions>) => {
    const ports: (number | undefined)[] = [];
    answer = (request, response) => {
      ports.push(request.socket.remotePort);
      response.end('hello');
    };
    const outside = openOutside(options);
    await ask(outside, here());
    // The connection is free once its answer has been read, which undici notices one turn later.
    await new Promise(resolve => setImmediate(resolve));
    await ask(outside, here());
    return new Set(ports);
  };

  it('is reused only if it is kept alive', async () => {
    expect((await portsOf({})).size).toBe(2);
    expect((await portsOf({ keepsConnections: true })).size).toBe(1);
  });
});

describe('never contacted is', () => {
  it.each([
    'http://10.0.0.1/',
    'http://127.0.0.2/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706434/',
    'http://0x7f000002/',
    'http://0177.0.0.2/',
    'http://127.2/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.2]/',
    'http://[::ffff:7f00:2]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::7f00:2]/',
    'http://[64:ff9b::a00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[2002:7f00:1::]/',
    'http://0.0.0.0/',
  ])('the address in %s', async url => {
    await expect(ask(openOutside(), url)).rejects.toEqual(fault('not_allowed'));
    expect([lookedUp, arrived]).toEqual([[], []]);
  });

  it.each([
    ['private', ['10.0.0.1']],
    ['loopback', ['127.0.0.2']],
    ['link-local', ['169.254.169.254']],
    ['IPv4-mapped', ['::ffff:127.0.0.2']],
    ['behind NAT64', ['64:ff9b::a9fe:a9fe']],
    ['unique local', ['fd12::1']],
    ['this host', ['0.0.0.0']],
    ['nothing at all', []],
  ])('a name that leads to an address that is %s', async (_kind, addresses) => {
    zone['inside.example'] = [addresses];
    await expect(ask(openOutside(), here('/', 'inside.example'))).rejects.toEqual(fault('not_allowed'));
    expect([lookedUp, arrived]).toEqual([['inside.example'], []]);
  });

  it('the private one of a name’s addresses, while the public one is', async () => {
    zone['both.example'] = [['10.0.0.1', '127.0.0.1']];
    expect((await ask(openOutside(), here('/', 'both.example'))).status).toBe(200);
  });

  it('what a name leads to when it is asked for a second time', async () => {
    zone['rebinding.example'] = [['127.0.0.1'], ['127.0.0.2']];
    const outside = openOutside();
    expect((await ask(outside, here('/', 'rebinding.example'))).status).toBe(200);
    // The first answer was checked and used; the name was not looked up again to connect.
    expect(lookedUp).toEqual(['rebinding.example']);
    await expect(ask(openOutside(), here('/', 'rebinding.example'))).rejects.toEqual(fault('not_allowed'));
  });

  it.each([
    'ftp://public.example/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://me:secret@public.example/',
  ])('%s', async url => {
    await expect(ask(openOutside(), url)).rejects.toEqual(fault('not_allowed'));
  });

  it('a name that is too long for DNS, before it reaches TLS and later ends the process', async () => {
    const long = `https://${`${'a'.repeat(41)}.`.repeat(7)}example/`;
    await expect(ask(openOutside(), long)).rejects.toEqual(fault('not_allowed'));
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']);
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv: new Uint8Array(12) },
      key,
      Buffer.from('x'),
    );
    expect(sealed.byteLength).toBe(17);
  });

  it('plain HTTP if it is not allowed, and a port that is not listed', async () => {
    await expect(ask(openOutside({ allowsHttp: false }), here())).rejects.toEqual(fault('not_allowed'));
    await expect(ask(openOutside({ ports: [80, 443] }), here())).rejects.toEqual(fault('not_allowed'));
    expect(arrived).toEqual([]);
  });
});

describe('ends in a clean refusal:', () => {
  it('a certificate of an unknown authority or for another name', async () => {
    const url = `https://public.example:${portOf(tls)}/`;
    await expect(ask(openOutside({ extraCa: undefined }), url)).rejects.toEqual(fault('unreachable'));
    zone['other.example'] = [['127.0.0.1']];
    await expect(ask(openOutside(), url.replace('public', 'other'))).rejects.toEqual(fault('unreachable'));
    expect(arrived).toEqual([]);
  });

  it('an unknown name, and a host that refuses connections', async () => {
    await expect(ask(openOutside(), 'http://nobody.example/')).rejects.toEqual(fault('unreachable'));
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const port = portOf(closed);
    closed.close();
    await expect(ask(openOutside(), `http://127.0.0.1:${port}/`)).rejects.toEqual(fault('unreachable'));
  });

  it('a body that is too large, as declared or as received', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(bytesMax + 1));
    await expect(ask(openOutside(), here())).rejects.toEqual(fault('too_large'));
  });

  it('a body without end', async () => {
    answer = (_request, response) => {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(16_384), more));
      more();
    };
    await expect(ask(openOutside(), here())).rejects.toEqual(fault('too_large'));
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('a small body in %s that unfolds into a huge one', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64_000_000));
    expect(bomb.length).toBeLessThan(bytesMax + 1);
    answer = (_request, response) => response.setHeader('content-encoding', encoding).end(bomb);
    await expect(ask(openOutside(), here())).rejects.toEqual(fault('too_large'));
  });

  it.each(['gzip', 'br', 'zstd', 'gzip, gzip'])('a body that says it is %s and is not', async encoding => {
    answer = (_request, response) => response.setHeader('content-encoding', encoding).end('not compressed');
    await expect(ask(openOutside(), here())).rejects.toEqual(fault('not_readable'));
  });

  it('headers without measure', async () => {
    answer = (_request, response) => response.setHeader('x-flood', 'x'.repeat(20_000)).end();
    await expect(ask(openOutside(), here())).rejects.toEqual(fault('too_large'));
  });

  it.each<[string, typeof answer]>([
    ['never answers', () => undefined],
    ['never ends its headers', request => void request.socket.write('HTTP/1.1 200 OK\r\nx-a: b\r\n')],
    [
      'drips its body slowly',
      (_request, response) => {
        const drip = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('a host that %s', async (_what, behaves) => {
    answer = behaves;
    await expect(ask(openOutside(), here(), { deadlineMs: 200 })).rejects.toEqual(fault('too_late'));
  });

  it('a caller that aborts, with its own reason', async () => {
    const gone = new AbortController();
    answer = () => gone.abort(new Error('gone'));
    await expect(ask(openOutside(), here(), { signal: gone.signal })).rejects.toThrow('gone');
  });

  it('an answer that is no HTTP', async () => {
    answer = request => request.socket.end('SSH-2.0-OpenSSH\r\n');
    await expect(ask(openOutside(), here())).rejects.toEqual(fault('unreachable'));
  });
});
