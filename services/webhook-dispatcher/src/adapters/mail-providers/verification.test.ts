import { describe, expect, test } from '@jest/globals';
import { simulatedProviders } from '@mailproof/dev-house';
import { newId, outcomeProviders, verificationKeyFault } from '@mailproof/shared-types';
import type { MailProvider, ProviderRequest } from '../../domain/outcomes/receive-events.ts';
import { deliveryStatus } from './delivery-status.ts';
import { createMailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import { sendgrid } from './sendgrid.ts';
import { signedJson } from './signed-json.ts';

/* How the requests of each provider are verified. Amazon SNS has its own test, because it needs a certificate. */

const sourceId = newId('outcomeSource');
const now = new Date();
const hour = 3_600_000;

function mailgunWithMemory(): MailProvider {
  const known = new Map<string, string>();
  return createMailgun(async (_source, signature, event) => {
    known.set(signature, known.get(signature) ?? event);
    return known.get(signature) === event;
  });
}

const dsn = [
  'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.sender.example',
  '',
  'Final-Recipient: rfc822; ada@a.example',
  'Action: failed',
  'Status: 5.1.1',
  '',
  '--b--',
].join('\r\n');

const cases = {
  sendgrid: { adapter: () => sendgrid, body: [] },
  mailgun: {
    adapter: mailgunWithMemory,
    body: { event: 'delivered', recipient: 'ada@a.example', timestamp: 1_790_000_000.5 },
  },
  postmark: {
    adapter: () => postmark,
    body: { RecordType: 'Delivery', Recipient: 'ada@a.example', DeliveredAt: '2026-11-27T10:00:00Z' },
  },
  dsn: { adapter: () => deliveryStatus, body: dsn },
  json: { adapter: () => signedJson, body: { outcomes: [] } },
} as const;
const names = Object.keys(cases) as (keyof typeof cases)[];

function requestOf(
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  at = now,
): ProviderRequest {
  return { headers, content: Buffer.from(body), now: at, signal: new AbortController().signal };
}

describe.each(names)('a request of %s', name => {
  const { adapter, body } = cases[name];
  const provider = simulatedProviders[name]();
  const other = simulatedProviders[name]();
  const read = (request: ProviderRequest, key: string | null = provider.key, by = adapter()) =>
    by.read(request, { sourceId, key });

  test('is accepted with its own key, and a repeated one too', async () => {
    expect(verificationKeyFault(name, provider.key)).toBeUndefined();
    const by = adapter();
    const request = requestOf(provider.post(body));
    const reading = await read(request, provider.key, by);
    expect(reading.kind).toBe('events');
    expect(await read(request, provider.key, by)).toEqual(reading);
  });

  test('is refused with the key of another source', async () => {
    await expect(read(requestOf(other.post(body)))).rejects.toMatchObject({ reason: 'signature_wrong' });
  });

  test('is refused without a signature or credentials', async () => {
    const { headers, ...post } = provider.post(body);
    const bare = requestOf({ headers: { 'content-type': headers['content-type'] ?? '' }, body: post.body });
    if (name === 'mailgun') {
      const unsigned = { ...bare, content: Buffer.from(JSON.stringify({ 'event-data': body })) };
      await expect(read(unsigned)).rejects.toMatchObject({ reason: 'body_not_readable' });
    } else {
      await expect(read(bare)).rejects.toMatchObject({ reason: 'signature_missing' });
    }
  });

  test('is refused if its body is no JSON or no notification', async () => {
    const garbage = provider.post('{"deeply": [[[');
    await expect(
      read(requestOf(name === 'mailgun' ? { ...garbage, body: '{' } : garbage)),
    ).rejects.toMatchObject({ reason: 'body_not_readable' });
  });
});

describe.each(['sendgrid', 'mailgun', 'json'] as const)('a signature of %s', name => {
  const { adapter, body } = cases[name];
  const provider = simulatedProviders[name]();
  const read = (request: ProviderRequest) => adapter().read(request, { sourceId, key: provider.key });
  const [lastMs, lateMs] = name === 'json' ? [hour / 15, hour / 10] : [24 * hour, 26 * hour];

  test('is accepted for as long as the provider repeats requests, and no longer', async () => {
    const from = (ageMs: number) => requestOf(provider.post(body, new Date(now.getTime() - ageMs)));
    expect((await read(from(lastMs))).kind).toBe('events');
    await expect(read(from(lateMs))).rejects.toMatchObject({ reason: 'signature_expired' });
    await expect(read(from(-hour))).rejects.toMatchObject({ reason: 'signature_expired' });
  });

  test('does not fit another time', async () => {
    const post = provider.post(body, new Date(now.getTime() - 26 * hour));
    const seconds = String(Math.floor(now.getTime() / 1_000));
    const old = String(Math.floor((now.getTime() - 26 * hour) / 1_000));
    const moved = {
      headers: Object.fromEntries(
        Object.entries(post.headers).map(([key, value]) => [key, value === old ? seconds : value]),
      ),
      body: post.body.replace(old, seconds),
    };
    await expect(read(requestOf(moved))).rejects.toMatchObject({ reason: 'signature_wrong' });
  });
});

test.each(['sendgrid', 'json'] as const)('a signature of %s does not fit another body', async name => {
  const { adapter } = cases[name];
  const provider = simulatedProviders[name]();
  const { headers } = provider.post(cases[name].body);
  const forged = requestOf({ headers, body: '[{"event":"bounce"}]' });
  await expect(adapter().read(forged, { sourceId, key: provider.key })).rejects.toMatchObject({
    reason: 'signature_wrong',
  });
});

test('a signature of Mailgun, which does not include the event, signs no second event', async () => {
  const by = mailgunWithMemory();
  const provider = simulatedProviders.mailgun();
  const read = (body: string) => by.read(requestOf({ headers: {}, body }), { sourceId, key: provider.key });
  const { body } = provider.post(cases.mailgun.body);
  expect(await read(body)).toMatchObject({ kind: 'events' });
  await expect(read(body.replace('ada@', 'eve@'))).rejects.toMatchObject({ reason: 'signature_reused' });
  // The same event in another spelling is a repeated one.
  expect(await read(JSON.stringify({ other: 1, ...JSON.parse(body) }))).toMatchObject({ kind: 'events' });
});

test('SendGrid’s own example verifies, and is a day too old', async () => {
  // Twilio's published test vector: the tests of `@sendgrid/eventwebhook`.
  const key =
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==';
  const headers = {
    'x-twilio-email-event-webhook-signature':
      'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    'x-twilio-email-event-webhook-timestamp': '1600112502',
  };
  const event = {
    email: 'hello@world.com',
    event: 'dropped',
    reason: 'Bounced Address',
    sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
    sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
    'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
    timestamp: 1_600_112_492,
  };
  expect(verificationKeyFault('sendgrid', key)).toBeUndefined();
  const request = (at: Date, body = `${JSON.stringify([event])}\r\n`) => requestOf({ headers, body }, at);
  const read = (asked: ProviderRequest) => sendgrid.read(asked, { sourceId, key });
  const then = new Date(1_600_112_510_000);
  expect(await read(request(then))).toEqual({ kind: 'events', events: [{ ignored: 'suppressed' }] });
  await expect(read(request(now))).rejects.toMatchObject({ reason: 'signature_expired' });
  await expect(read(request(then, JSON.stringify([event])))).rejects.toMatchObject({
    reason: 'signature_wrong',
  });
});

test.each(['postmark', 'dsn'] as const)('a source of %s without a password needs none', async name => {
  const { adapter, body } = cases[name];
  const { body: content, headers } = simulatedProviders[name]().post(body);
  const { authorization: _, ...others } = headers;
  const reading = await adapter().read(requestOf({ headers: others, body: content }), {
    sourceId,
    key: null,
  });
  expect(reading).toMatchObject({ kind: 'events', events: [{ email: 'ada@a.example' }] });
});

test.each([
  ['amazon_ses', 'arn:aws:sns:eu-west-1:123456789012:bounces'],
  ['amazon_ses', 'arn:aws-cn:sns:cn-north-1:123456789012:bounces_2'],
  ['amazon_ses', 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:b'],
  ['postmark', null],
  ['dsn', 'user:password'],
  ['json', `whsec_${Buffer.alloc(24).toString('base64')}`],
  ['json', `whsec_${Buffer.alloc(25).toString('base64')}`],
  ['json', `whsec_${Buffer.alloc(64).toString('base64')}`],
] as const)('a verification key of %s can be %s', (provider, key) => {
  expect(verificationKeyFault(provider, key)).toBeUndefined();
});

test.each([
  ['amazon_ses', 'arn:aws:sns:evil.example/#:123456789012:bounces'],
  ['amazon_ses', 'arn:aws:sqs:eu-west-1:123456789012:bounces'],
  ['amazon_ses', 'arn:aws:sns:eu-west-1:123456789012:bounces:subscription'],
  ['amazon_ses', null],
  ['sendgrid', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE'],
  ['sendgrid', null],
  ['mailgun', 'short'],
  ['postmark', 'password'],
  ['postmark', 'user:short'],
  ['json', `whsec_${Buffer.alloc(23).toString('base64')}`],
  ['json', `whsec_${Buffer.alloc(65).toString('base64')}`],
  ['json', 'whsec_'],
] as const)('a verification key of %s cannot be %s', (provider, key) => {
  expect(verificationKeyFault(provider, key)).toContain(outcomeProviders[provider].key.expected);
});
