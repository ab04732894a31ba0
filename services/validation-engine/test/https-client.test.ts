import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSelfSigned, type MailLab, startMailLab } from '@mailproof/mail-lab';
import { createAddressGuard } from '@mailproof/service-kit';
import { createDns } from '../src/adapters/dns/create-dns.ts';
import { createHttpsClient, type HttpsClientOptions } from '../src/adapters/web/https-client.ts';
import { composeWeb } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import { type Deadline, deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import type { DnsAnswer } from '../src/domain/dns/mail-dns.ts';
import { createFakeDns } from '../src/domain/testing/fakes.ts';

const clock = { nowMs: () => performance.now() };
const site = 'openpgpkey.wkd-advanced.example';

let lab: MailLab;
let mute: Server;
let siteAddress: string;

beforeAll(async () => {
  lab = await startMailLab();
  mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const found = await createDns([lab.dnsServer], clock).resolveAddresses(site, 4, deadlineOf(20_000));
  siteAddress = found.kind === 'answer' ? (found.records[0] ?? '') : '';
});

afterAll(async () => {
  mute?.close();
  await lab?.close();
});

function deadlineOf(ms: number, signal = new AbortController().signal): Deadline {
  return deadlineAfter(clock, ms, signal);
}

/** Reads one page from a host with this DNS answer. */
function read(
  host: string,
  ipv4: DnsAnswer<string>,
  options: Partial<HttpsClientOptions> = {},
  deadline = deadlineOf(20_000),
) {
  const client = createHttpsClient({
    dns: createFakeDns({ ipv4: { [host]: ipv4 } }),
    guard: createAddressGuard(lab.allowedRanges),
    clock,
    port: lab.httpsPort,
    extraCa: lab.caCertificatePem,
    userAgent: 'Mailproof (test)',
    ...options,
  });
  return client.get(
    { host, path: '/.well-known/openpgpkey/wkd-advanced.example/policy', accept: '*/*' },
    deadline,
  );
}

const at = (...addresses: readonly string[]): DnsAnswer<string> => ({ kind: 'answer', records: addresses });

describe('a page', () => {
  test('is read from the address that was checked', async () => {
    expect(await read(site, at('10.0.0.1', siteAddress))).toMatchObject({ kind: 'response', status: 200 });
  });

  test('is not read from a forbidden address', async () => {
    lab.resetCounts();
    const options = { guard: createAddressGuard([]) };
    expect(await read(site, at(siteAddress), options)).toEqual({ kind: 'failure' });
    expect(lab.counts().web).toEqual({});
  });

  test('is not read from a server whose certificate has another name', async () => {
    lab.resetCounts();
    expect(await read('openpgpkey.elsewhere.example', at(siteAddress))).toEqual({ kind: 'failure' });
    expect(lab.counts().web).toEqual({});
  });

  test('is not read where the authority is unknown', async () => {
    expect(await read(site, at(siteAddress), { extraCa: undefined })).toEqual({ kind: 'failure' });
  });

  test.each<readonly [string, DnsAnswer<string>, string]>([
    ['NXDOMAIN', { kind: 'nxdomain' }, 'no_such_host'],
    ['NODATA', { kind: 'nodata' }, 'no_such_host'],
    ['a failure of DNS', { kind: 'failure', failure: 'servfail' }, 'failure'],
    ['silence of DNS', { kind: 'failure', failure: 'timeout' }, 'failure'],
  ])('is not read after %s', async (_name, answer, kind) => {
    expect(await read(site, answer)).toEqual({ kind });
  });

  test('is not waited for if no server listens or answers', async () => {
    const { port } = mute.address() as AddressInfo;
    const guard = createAddressGuard(['127.0.0.0/8']);
    expect(await read(site, at('127.0.0.1'), { guard, port: 1 })).toEqual({ kind: 'failure' });
    const startedAtMs = performance.now();
    const options = { guard, port, requestTimeoutMs: 60_000 };
    expect(await read(site, at('127.0.0.1'), options, deadlineOf(300))).toEqual({ kind: 'failure' });
    expect(performance.now() - startedAtMs).toBeLessThan(30_000);
  });

  test('is waited for at most four seconds, regardless of the deadline', async () => {
    const { port } = mute.address() as AddressInfo;
    const guard = createAddressGuard(['127.0.0.0/8']);
    const startedAtMs = performance.now();
    expect(await read(site, at('127.0.0.1'), { guard, port }, deadlineOf(120_000))).toEqual({
      kind: 'failure',
    });
    expect(performance.now() - startedAtMs).toBeGreaterThan(3_500);
    expect(performance.now() - startedAtMs).toBeLessThan(60_000);
  });

  test('is not requested once time is up or no caller waits', async () => {
    lab.resetCounts();
    expect(await read(site, at(siteAddress), {}, deadlineOf(0))).toEqual({ kind: 'failure' });
    const gone = deadlineOf(20_000, AbortSignal.abort());
    expect(await read(site, at(siteAddress), {}, gone)).toEqual({ kind: 'failure' });
    expect(lab.counts().web).toEqual({});
  });
});

test('a host that cannot be read from is left alone for a minute', async () => {
  let connections = 0;
  const broken = createServer(socket => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(broken, 'listening');
  let nowMs = 0;
  const host = 'broken.example';
  const client = createHttpsClient({
    dns: createFakeDns({ ipv4: { [host]: at('127.0.0.1') } }),
    guard: createAddressGuard(['127.0.0.0/8']),
    clock: { nowMs: () => nowMs },
    port: (broken.address() as AddressInfo).port,
    extraCa: undefined,
    userAgent: 'Mailproof (test)',
  });
  const ask = () => client.get({ host, path: '/', accept: '*/*' }, deadlineOf(20_000));
  expect([await ask(), await ask()]).toEqual([{ kind: 'failure' }, { kind: 'failure' }]);
  expect(connections).toBe(1);
  nowMs = 61_000;
  await ask();
  expect(connections).toBe(2);
  broken.close();
});

describe('the user agent', () => {
  test('names the program, the name that mail hosts know, and a URL for complaints', async () => {
    const { certificatePem, keyPem } = await createSelfSigned('pages.example');
    const heard: (string | undefined)[] = [];
    const server = createHttpsServer({ cert: certificatePem, key: keyPem }, (asked, answer) => {
      heard.push(asked.headers['user-agent']);
      answer.end('ok');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'mailproof-user-agent-'));
    await writeFile(join(folder, 'ca.pem'), certificatePem);
    try {
      const config = loadValidationConfig({
        VALIDATION_HTTPS_PORT: String((server.address() as AddressInfo).port),
        VALIDATION_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32',
        VALIDATION_CA_FILE: join(folder, 'ca.pem'),
        VALIDATION_HELO_NAME: 'probe.checker.example',
        PUBLIC_PAGES_CONTACT_URL: 'https://checker.example/bot',
      });
      const web = composeWeb(config, {
        dns: createFakeDns({ ipv4: { 'pages.example': at('127.0.0.1') } }),
        guard: createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES),
      });
      const request = { host: 'pages.example', path: '/', accept: '*/*' };
      expect(await web.get(request, deadlineOf(20_000))).toMatchObject({ kind: 'response', status: 200 });
      expect(heard).toEqual([
        'Mailproof/1.0 (address validation; probe.checker.example; +https://checker.example/bot)',
      ]);
    } finally {
      server.close();
      await rm(folder, { recursive: true });
    }
  });
});
