import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type MailLab, startMailLab } from '@mailproof/mail-lab';
import { createDns } from '../src/adapters/dns/create-dns.ts';
import { type Deadline, deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import type { EvidenceDns, KeyRecordType, MailDns } from '../src/domain/dns/mail-dns.ts';

const clock = { nowMs: () => performance.now() };

let lab: MailLab;
let dns: MailDns & EvidenceDns;

beforeAll(async () => {
  lab = await startMailLab();
});

beforeEach(() => {
  lab.resetCounts();
  dns = createDns([lab.dnsServer], clock);
});

afterAll(async () => {
  await lab?.close();
});

function soon(timeoutMs = 20_000): Deadline {
  return deadlineAfter(clock, timeoutMs, new AbortController().signal);
}

/** The owner name of a mailbox's key records (RFC 7929 section 3, RFC 8162 section 3). */
function ownerOf(localPart: string, label: string, domain: string): string {
  return `${createHash('sha256').update(localPart).digest('hex').slice(0, 56)}.${label}.${domain}`;
}

test.each([
  ['null-mx.example', { kind: 'answer', records: [{ preference: 0, exchange: '' }], ttlSeconds: 60 }],
  ['no-records.example', { kind: 'nodata', ttlSeconds: 60 }],
  ['nxdomain.example', { kind: 'nxdomain', ttlSeconds: 60 }],
  ['servfail.example', { kind: 'failure', failure: 'servfail' }],
  ['dns-refused.example', { kind: 'failure', failure: 'refused' }],
])('%s is told apart', async (name, answer) => {
  expect(await dns.resolveMx(name, soon())).toEqual(answer);
});

test('name servers that never answer are a time-out, at the asker’s deadline', async () => {
  const startedAtMs = performance.now();
  expect(await dns.resolveMx('dns-silent.example', soon(400))).toEqual({
    kind: 'failure',
    failure: 'timeout',
  });
  // Without the deadline, the lookup would try three times, for two seconds each.
  expect(performance.now() - startedAtMs).toBeLessThan(5_900);
});

test('answers too long for a datagram come over TCP', async () => {
  const exchanges = await dns.resolveMx('huge-answer.example', soon());
  const texts = await dns.resolveText('huge-answer.example', soon());
  expect(exchanges).toMatchObject({ kind: 'answer', records: { length: 12 } });
  expect(texts).toMatchObject({ kind: 'answer', records: { length: 9 } });
  expect(lab.counts().dns.overTcp).toBeGreaterThan(0);
});

test('a host has its address, and NODATA for the other family', async () => {
  const name = 'mx1.a-label-long-enough-that-twelve-exchanges-outgrow-a-datagram.huge-answer.example';
  expect(await dns.resolveAddresses(name, 4, soon())).toMatchObject({
    kind: 'answer',
    records: [expect.stringMatching(/^127\./)],
  });
  expect(await dns.resolveAddresses(name, 6, soon())).toMatchObject({ kind: 'nodata' });
});

test.each<[KeyRecordType, string]>([
  ['OPENPGPKEY', '_openpgpkey'],
  ['SMIMEA', '_smimecert'],
])('%s of one mailbox is found bare, and that of another is not', async (type, label) => {
  const found = await dns.resolveKey(ownerOf('ada', label, 'keys-in-dns.example'), type, soon());
  expect(found.kind === 'answer' && found.records[0]?.length).toBeGreaterThan(30);
  const missing = await dns.resolveKey(ownerOf('nobody', label, 'keys-in-dns.example'), type, soon());
  expect(missing).toMatchObject({ kind: 'nxdomain' });
});

test('a thousand who ask at once, and all who ask later, make for one question', async () => {
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => dns.resolveMx('null-mx.example', soon())),
  );
  await dns.resolveMx('Null-MX.example', soon());
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['answer']));
  expect(lab.counts().dns.queries).toBe(1);
});
