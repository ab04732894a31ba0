import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { createReverseDns } from '../src/adapters/dns/reverse-dns.ts';
import { runCommandLine } from '../src/cli/program.ts';
import { createFakeTerminal } from '../src/cli/testing/fake-terminal.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { labSettings } from './engine-in-lab.ts';

let lab: MailLab;

/** A host that repeats the client's address in its greeting, as the large ones do. */
const echoing = postfix([], { ehlo: ['250-{host} at your service, [{client}]', '250 PIPELINING'] });

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'ordinary.example',
        story: 'Has a first host that is away.',
        dns: {
          mx: [
            [10, 'mx1.ordinary.example'],
            [20, 'mx2.ordinary.example'],
          ],
        },
        hosts: { 'mx1.ordinary.example': 'no_listener', 'mx2.ordinary.example': echoing },
        expected: [],
      },
      {
        domain: 'dead.example',
        story: 'Has a host that is away.',
        dns: { mx: [[10, 'mx.dead.example']] },
        hosts: { 'mx.dead.example': 'no_listener' },
        expected: [],
      },
    ],
  });
});

afterAll(async () => {
  await lab?.close();
});

async function run(args: readonly string[], settings: Record<string, string> = {}) {
  const terminal = createFakeTerminal({ environment: { ...labSettings(lab), ...settings } });
  const exitCode = await runCommandLine(['doctor', ...args], terminal);
  return { exitCode, written: terminal.written(), complained: terminal.complained() };
}

interface Report {
  readonly failed: number;
  readonly findings: readonly { check: string; status: string; sentence: string }[];
}

async function report(args: readonly string[], settings: Record<string, string> = {}) {
  const { exitCode, written } = await run(['--json', ...args], settings);
  const { failed, findings } = JSON.parse(written) as Report;
  return {
    exitCode,
    failed,
    findings,
    of: (check: string) => findings.filter(finding => finding.check === check),
  };
}

describe('doctor', () => {
  test('finds name servers and port, and learns the public address from the greeting', async () => {
    lab.resetCounts();
    const { exitCode, of } = await report(['--probe-domain', 'ordinary.example'], {
      VALIDATION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
    });
    expect(exitCode).toBe(0);
    expect(of('resolvers')).toMatchObject([{ status: 'ok' }]);
    expect(of('port_25')).toMatchObject([{ status: 'warning' }]);
    expect(of('port_25')[0]?.sentence).toContain('mx2.ordinary.example greets after');
    expect(of('public_address')).toMatchObject([{ status: 'ok' }]);
    expect(of('public_address')[0]?.sentence).toContain('as mx2.ordinary.example sees it');
    // The lab has neither reverse DNS nor block lists, which must not count as an answer.
    expect(of('reverse_dns')).toMatchObject([{ status: 'cannot_tell' }]);
    expect(of('block_lists').map(({ status }) => status)).toEqual([
      'cannot_tell',
      'cannot_tell',
      'cannot_tell',
    ]);
    const counted = lab.counts().smtp['mx2.ordinary.example'];
    expect(counted?.commands).toEqual({ EHLO: 1, QUIT: 1 });
  });

  test('only says QUIT where the public address is given', async () => {
    lab.resetCounts();
    const [, network = ''] = /^(\d+\.\d+)\./.exec(lab.dnsServer) ?? [];
    await report([
      '--probe-domain',
      'ordinary.example',
      '--public-address',
      `${network}.0.9`,
      '--no-blocklists',
    ]);
    expect(lab.counts().smtp['mx2.ordinary.example']?.commands).toEqual({ QUIT: 1 });
  });

  test('fails where no mail host can be reached', async () => {
    const { exitCode, failed, of } = await report(['--probe-domain', 'dead.example']);
    expect([exitCode, failed]).toEqual([1, 1]);
    expect(of('port_25')).toMatchObject([{ status: 'failed' }]);
  });

  test('fails fast where no name server answers', async () => {
    const { exitCode, of } = await report([], { VALIDATION_DNS_SERVERS: '127.0.0.1:1' });
    expect(exitCode).toBe(1);
    expect(of('resolvers')).toMatchObject([{ status: 'failed' }]);
    // A refusal must not be waited for: that would be a timeout.
    expect(of('resolvers')[0]?.sentence).toContain('(refused, ');
    expect(of('port_25')).toMatchObject([{ status: 'cannot_tell' }]);
  });

  test('checks each name server separately', async () => {
    const { of } = await report(['--probe-domain', 'ordinary.example'], {
      VALIDATION_DNS_SERVERS: `127.0.0.1:1,${lab.dnsServer}`,
    });
    expect(of('resolvers').map(({ status }) => status)).toEqual(['warning', 'ok']);
  });

  test('fails for an EHLO name that does not resolve', async () => {
    const { exitCode, of } = await report(['--probe-domain', 'ordinary.example'], {
      VALIDATION_HELO_NAME: 'nowhere.ordinary.example',
    });
    expect(exitCode).toBe(1);
    expect(of('ehlo_name')).toMatchObject([{ status: 'failed' }]);
  });

  test('says it in words, with what to do', async () => {
    const { written } = await run(['--probe-domain', 'dead.example', '--no-blocklists']);
    expect(written).toMatch(
      /^failed {7}port 25 {9}No mail host can be reached at port \d+ \(mx\.dead\.example\)\.$/m,
    );
    expect(written).toMatch(/^ +→ .*ask to open it/m);
    expect(written).not.toContain('block list');
    expect(written).toMatch(/\n1 of 5 checks failed\.\n$/);
  });

  test('says what a source that is off would gain and cost, until it is on', async () => {
    const args = ['--probe-domain', 'ordinary.example', '--no-blocklists'];
    const hint = /unpublished_tenant_host is off.*bypasses the gateway.*VALIDATION_EVIDENCE_SOURCES/s;
    expect((await run(args)).written).toMatch(hint);
    const on = await run(args, { VALIDATION_EVIDENCE_SOURCES: 'published_mx,unpublished_tenant_host' });
    expect(on.exitCode).toBe(0);
    expect(on.written).not.toContain('unpublished_tenant_host');
  });

  test.each([
    ['a domain that is none', ['--probe-domain', 'no domain'], '"no domain" is not a valid domain'],
    [
      'a public address that cannot be determined',
      ['--public-address', '10.0.0.1'],
      '"10.0.0.1" is not a public IP address',
    ],
  ])('refuses %s', async (_name, args, sentence) => {
    const { exitCode, complained } = await run(args);
    expect(exitCode).toBe(2);
    expect(complained).toContain(sentence);
  });
});

describe('reverse DNS', () => {
  let server: Socket;
  let servers: string[];
  const codes: Record<string, number> = { '2.2.0.192': 3, '3.2.0.192': 2, '4.2.0.192': 5 };

  beforeAll(async () => {
    server = createSocket('udp4');
    server.on('message', (question, sender) => {
      const answer = answerPtr(question);
      if (answer !== undefined) {
        server.send(answer, sender.port, sender.address);
      }
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
  });

  afterAll(() => {
    server?.close();
  });

  /** One PTR record for 192.0.2.1, silence for 192.0.2.5, and a response code for the others. */
  function answerPtr(question: Buffer): Buffer | undefined {
    const labels = question.subarray(12).toString('latin1');
    const reversed = [...labels.matchAll(/\d+/g)].slice(0, 4).join('.');
    if (reversed === '5.2.0.192') {
      return undefined;
    }
    const end = 12 + labels.indexOf('\0') + 5;
    const header = Buffer.from(question.subarray(0, 12));
    const code = codes[reversed] ?? 0;
    header.writeUInt16BE(0x8180 + code, 2);
    header.writeUInt16BE(code === 0 ? 1 : 0, 6);
    header.writeUInt16BE(0, 10);
    const name = Buffer.from('\u0005probe\u0007checker\u0007example\0', 'latin1');
    // A pointer to the question's name, type PTR, class IN, one minute, and the length of the data.
    const record = Buffer.from([0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 60, 0, name.length, ...name]);
    return Buffer.concat([header, question.subarray(12, end), ...(code === 0 ? [record] : [])]);
  }

  test.each([
    ['192.0.2.1', 20_000, { kind: 'answer', records: ['probe.checker.example'] }],
    ['192.0.2.2', 20_000, { kind: 'nxdomain' }],
    ['192.0.2.3', 20_000, { kind: 'failure', failure: 'servfail' }],
    ['192.0.2.4', 20_000, { kind: 'failure', failure: 'refused' }],
    ['192.0.2.5', 500, { kind: 'failure', failure: 'timeout' }],
  ])('of %s', async (address, timeoutMs, expected) => {
    const deadline = deadlineAfter(
      { nowMs: () => performance.now() },
      timeoutMs,
      new AbortController().signal,
    );
    expect(await createReverseDns(servers)(address, deadline)).toEqual(expected);
  });
});
