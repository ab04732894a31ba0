import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { createAddressGuard, createOutside, type Outside } from '@mailproof/service-kit';
import { Webhook } from 'standardwebhooks';
import { createSendRow } from '../src/adapters/outside/send-row.ts';
import type { Destination } from '../src/domain/push/destination.ts';
import { createHostSlots } from '../src/domain/push/pace.ts';

const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const row = { webhookId: 'exp_1_17', body: '{"name":"Ada Lovelace","2019":1}' };
let receiver: WebhookReceiver;
const opened: Outside[] = [];

beforeAll(async () => {
  receiver = await openWebhookReceiver();
});

afterEach(async () => {
  receiver.react(() => ({ status: 200 }));
  await Promise.all(opened.splice(0).map(each => each.close()));
});

afterAll(() => receiver.close());

/** A sender as in the service, with loopback allowed for receivers. */
function openSender(ranges = ['127.0.0.1/32'], deadlineMs = 2_000) {
  const outside = {
    https: createOutside({ guard: createAddressGuard(ranges), allowsHttp: false }),
    http: createOutside({ guard: createAddressGuard(ranges, { admitsPublic: false }), allowsHttp: true }),
  };
  opened.push(outside.https, outside.http);
  const slots = createHostSlots(4);
  return createSendRow({ outside, slots, userAgent: 'Mailproof/1.0', deadlineMs, now: () => new Date() });
}

const to = (url: string, header: Destination['header'] = null): Destination => ({
  url,
  header,
  signingSecret,
});
const last = () => receiver.requests.at(-1);

describe('a row that is sent', () => {
  it('is signed, and carries what a receiver knows it by', async () => {
    const sent = await openSender()(
      to(`${receiver.url}/hook?a=b`, { name: 'Authorization', value: 'Bearer x' }),
      row,
    );
    expect(sent.answer).toMatchObject({ kind: 'answer', status: 200 });
    expect(last()).toMatchObject({
      method: 'POST',
      path: '/hook?a=b',
      body: row.body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'exp_1_17',
        'idempotency-key': 'exp_1_17',
        'user-agent': 'Mailproof/1.0',
        authorization: 'Bearer x',
      },
    });
    expect(last()?.headers).not.toHaveProperty('traceparent');
    const headers = last()?.headers as Record<string, string>;
    expect(new Webhook(signingSecret).verify(row.body, headers)).toEqual(JSON.parse(row.body));
    expect(() => new Webhook(signingSecret).verify(`${row.body} `, headers)).toThrow();
  });

  it.each([
    ['closes without an answer', 'close', 'unreachable'],
    ['never answers', 'hang', 'too_late'],
  ] as const)('has no answer where the receiver %s', async (_what, reaction, reason) => {
    receiver.react(() => reaction);
    const sent = await openSender(undefined, 300)(to(receiver.url), row);
    expect(sent.answer).toEqual({ kind: 'none', reason });
  });

  it.each(['drip', 'flood'] as const)('has its status regardless of the body (%s)', async reaction => {
    receiver.react(() => reaction);
    const sent = await openSender()(to(receiver.url), row);
    expect(sent.answer).toMatchObject({ kind: 'answer', status: 200 });
    expect(sent.body.length).toBeLessThanOrEqual(8_192);
  });

  it('is not sent to where a redirect leads', async () => {
    const before = receiver.requests.length;
    const location = `${receiver.url}/there`;
    receiver.react(({ path }) =>
      path === '/there' ? { status: 200 } : { status: 307, headers: { location } },
    );
    const sent = await openSender()(to(receiver.url), row);
    expect(sent.answer).toMatchObject({ status: 307, location });
    expect(receiver.requests.length).toBe(before + 1);
  });

  it('waits for a slot at its host', async () => {
    let atOnce = 0;
    let most = 0;
    const outside: Outside = {
      async request() {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise(resolve => setImmediate(resolve));
        atOnce -= 1;
        return { status: 200, headers: {}, body: new Uint8Array() };
      },
      close: async () => undefined,
    };
    const slots = createHostSlots(3);
    const send = createSendRow({
      outside: { https: outside, http: outside },
      slots,
      userAgent: 'Mailproof/1.0',
      deadlineMs: 1_000,
      now: () => new Date(),
    });
    await Promise.all(Array.from({ length: 20 }, () => send(to('https://receiver.example/a'), row)));
    expect(most).toBe(3);
  });
});

describe('a row is never sent', () => {
  const port = () => new URL(receiver.url).port;

  it.each([
    ['loopback that is not allowed', () => `http://127.0.0.2:${port()}/`],
    ['an address as a number', () => `http://2130706434:${port()}/`],
    ['an address in hexadecimal', () => `http://0x7f000002:${port()}/`],
    ['IPv4 in IPv6', () => `http://[::ffff:127.0.0.2]:${port()}/`],
    ['loopback in IPv6', () => `http://[::1]:${port()}/`],
    ['where clouds serve credentials', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private network', () => 'https://10.0.0.1/'],
    ['a public address without TLS', () => 'http://8.8.8.8/'],
    ['user and password in the address', () => `http://me:secret@127.0.0.1:${port()}/`],
  ])('to %s', async (_what, url) => {
    const before = receiver.requests.length;
    const sent = await openSender()(to(url()), row);
    expect(sent.answer).toEqual({ kind: 'none', reason: 'not_allowed' });
    expect(receiver.requests.length).toBe(before);
  });

  it('to what a name leads to, when that may not be contacted, also when it once led elsewhere', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    const outside = createOutside({
      guard: createAddressGuard(['127.0.0.1/32'], { admitsPublic: false }),
      allowsHttp: true,
      lookup: (_name, _options, callback) =>
        callback(null, [{ address: answers.shift() ?? '127.0.0.2', family: 4 }]),
    });
    opened.push(outside);
    const send = createSendRow({
      outside: { https: outside, http: outside },
      slots: createHostSlots(4),
      userAgent: 'Mailproof/1.0',
      deadlineMs: 2_000,
      now: () => new Date(),
    });
    const url = `http://rebinding.example:${port()}/`;
    expect((await send(to(url), row)).answer).toMatchObject({ status: 200 });
    expect((await send(to(url), row)).answer).toEqual({ kind: 'none', reason: 'not_allowed' });
  });
});
