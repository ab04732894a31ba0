import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import type { Answer, DecodedPacket } from 'dns-packet';
import { startEngine, type TestEngine } from './engine-in-lab.ts';
import { answerTo, mx, type ScriptedNameServer, startNameServer } from './scripted-name-server.ts';

const domain = 'modern.example';
const host = 'mx.modern.example';
let door: Server;
let clients: string[];
let lab: MailLab;
let names: ScriptedNameServer;
let engine: TestEngine;

/** The zone of a domain whose only mail host has no IPv4 address. */
function recordsFor({ questions = [] }: DecodedPacket): Answer[] {
  const [question] = questions;
  switch (`${question?.type} ${question?.name}`) {
    case `MX ${domain}`:
      return [mx(10, host, domain)];
    case `AAAA ${host}`:
      return [{ name: host, type: 'AAAA', ttl: 60, data: '::1' }];
    default:
      return [];
  }
}

beforeAll(async () => {
  clients = [];
  // A lab's hosts listen only on IPv4, so one of them gets an IPv6 proxy on the port that all of them share.
  door = createServer(client => {
    clients.push(client.remoteAddress ?? '');
    const behind = connect({ host: lab.dnsServer.replace(/\.0\.1:.*$/, '.1.1'), port: lab.smtpPort });
    client.on('error', () => behind.destroy()).on('close', () => behind.destroy());
    behind.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(behind).pipe(client);
  }).listen(0, '::1');
  await once(door, 'listening');
  lab = await startMailLab({
    smtpPort: (door.address() as AddressInfo).port,
    catalog: [
      {
        domain,
        story: 'Has given up IPv4.',
        dns: { mx: [[10, host]] },
        hosts: { [host]: postfix(['ada']) },
        expected: [],
      },
    ],
  });
  names = await startNameServer({ datagrams: query => [answerTo(query, recordsFor(query))] });
  engine = await startEngine({
    VALIDATION_DNS_SERVERS: names.server,
    VALIDATION_ALLOWED_PRIVATE_RANGES: '::1/128',
    VALIDATION_SMTP_PORT: String(lab.smtpPort),
  });
});

afterAll(async () => {
  await engine.stop();
  await names.close();
  await lab.close();
  door.close();
});

test('a domain whose only mail host has only an IPv6 address is validated over IPv6', async () => {
  const found = await engine.validate(`ada@${domain}`);
  expect(found).toMatchObject({ result: 'ok', reason: 'mailbox_exists', mxHost: host });
  expect(found.details.sessions[0]).toMatchObject({ host, address: '::1' });
  expect(await engine.validate(`nobody@${domain}`)).toMatchObject({
    result: 'invalid',
    reason: 'mailbox_missing',
  });
  // One session serves both questions.
  expect(clients).toEqual(['::1']);
});

test('an address at an IPv6 literal is validated too', async () => {
  const { reason, details } = await engine.validate('ada@[IPv6:::1]');
  // The host knows the mailbox only at its domain; it matters only that the host was asked.
  expect(details.sessions[0]?.address).toBe('::1');
  expect(reason).not.toBe('connection_failed');
});

test('without our own IPv6 it is unknown, and not called missing', async () => {
  const onlyIpv4 = await startEngine({
    VALIDATION_DNS_SERVERS: names.server,
    VALIDATION_ALLOWED_PRIVATE_RANGES: '::1/128',
    VALIDATION_SMTP_PORT: String(lab.smtpPort),
    VALIDATION_LOCAL_ADDRESS: '127.0.0.1',
  });
  try {
    expect(await onlyIpv4.validate(`ada@${domain}`)).toMatchObject({
      result: 'unknown',
      reason: 'own_network_failed',
    });
  } finally {
    await onlyIpv4.stop();
  }
});
