import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { Webhook } from 'standardwebhooks';
import { attemptDelivery } from '../src/domain/events/delivery.ts';
import { changeEndpoint } from '../src/domain/events/endpoint.ts';
import { resend } from '../src/domain/events/send-again.ts';
import { type EventsWorld, hourMs, openEventsWorld, type Ports, secret } from './events-world.ts';

/* Deliveries with the real store and a real receiver. The clock jumps from one attempt to the next. */

let world: EventsWorld;

beforeAll(async () => {
  world = await openEventsWorld();
});

afterAll(() => world?.close());

beforeEach(() => {
  world.nowMs = Date.parse('2026-11-27T10:00:00Z');
  world.receiver.react(() => ({ status: 200 }));
});

describe('a delivery', () => {
  it('is signed for the reference library, with its event’s id, and ends with the first 2xx', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    world.nowMs = Date.now();
    const delivery = await world.newDelivery(ports, endpoint);
    expect(await attemptDelivery(ports, delivery.deliveryId)).toBe('ended');
    const [request] = world.requestsTo(endpoint);
    expect(request?.headers['webhook-id']).toBe(delivery.eventId);
    const verified = new Webhook(secret).verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(verified).toEqual({ type: 'credits.low', timestamp: '2026-11-27T10:00:00Z', data: {} });
    expect(await attemptDelivery(ports, delivery.deliveryId)).toBe('ended');
    expect(world.requestsTo(endpoint)).toHaveLength(1);
  });

  it('is retried with growing waits for a day, and then its endpoint is disabled', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    const delivery = await world.newDelivery(ports, endpoint);
    world.receiver.react(() => ({ status: 500, body: 'canary-answer' }));
    const moments = await world.attemptsUntilEnd(ports, delivery.deliveryId);
    const minutes = moments.map(ms => Math.round(ms / 6_000) / 10);
    expect(minutes).toEqual([
      0, 0.1, 0.6, 2.6, 12.6, 42.6, 102.6, 222.6, 462.6, 702.6, 942.6, 1182.6, 1422.6, 1440,
    ]);
    expect(await world.find(ports, delivery.deliveryId)).toMatchObject({
      state: 'failed',
      attempts: moments.length,
      statusCode: 500,
      fault: 'receiver_failed',
      nextAttemptAt: null,
    });
    const log = await ports.deliveries.listAttempts(delivery.deliveryNo);
    expect(log.map(each => each.attemptNo)).toEqual(moments.map((_, at) => at + 1));
    const ids = world.requestsTo(endpoint).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([delivery.eventId]));
    expect(ids).toHaveLength(moments.length);
    // Each wait is a job that is due when it ends.
    const jobs = await world.jobsOf(delivery.deliveryId);
    expect(jobs).toEqual([0, ...moments.slice(1).map((ms, at) => ms - (moments[at] ?? 0))]);
    const ended = await ports.endpoints.findOf(endpoint.accountId, endpoint.endpointId);
    expect(ended).toMatchObject({ disabledReason: 'failing', disabledAt: world.now() });
    expect(world.disabled).toContain(`${endpoint.endpointId} failing`);
    // Nothing more is sent to it, and new events are not stored for it.
    const waiting = await world.newDelivery(ports, endpoint);
    expect(await attemptDelivery(ports, waiting.deliveryId)).toBe('ended');
    expect(await world.find(ports, waiting.deliveryId)).toMatchObject({
      state: 'cancelled',
      fault: 'disabled',
    });
    await ports.deliveries.store(world.eventFor(endpoint), world.now());
    expect((await ports.deliveries.list(endpoint, { limit: 10 })).deliveries).toHaveLength(2);
    expect(world.requestsTo(endpoint)).toHaveLength(moments.length);
  });

  it('does not disable an endpoint that accepts something within the day', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    const failing = await world.newDelivery(ports, endpoint);
    world.receiver.react(() => ({ status: 503 }));
    await attemptDelivery(ports, failing.deliveryId);
    world.nowMs += 23 * hourMs;
    world.receiver.react(() => ({ status: 200 }));
    const other = await world.newDelivery(ports, endpoint);
    await attemptDelivery(ports, other.deliveryId);
    world.receiver.react(() => ({ status: 503 }));
    await world.attemptsUntilEnd(ports, failing.deliveryId);
    expect((await world.find(ports, failing.deliveryId)).state).toBe('failed');
    const { disabledAt, failingSince } =
      (await ports.endpoints.findOf(endpoint.accountId, endpoint.endpointId)) ?? {};
    expect([disabledAt, failingSince]).toEqual([null, expect.any(Date)]);
  });

  it('waits as long as the endpoint asks for, but no longer than a day', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    world.receiver.react(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    const { deliveryId } = await world.newDelivery(ports, endpoint);
    await attemptDelivery(ports, deliveryId);
    expect((await world.find(ports, deliveryId)).nextAttemptAt).toEqual(new Date(world.nowMs + hourMs));
    world.receiver.react(() => ({ status: 429, headers: { 'retry-after': '500000' } }));
    const { deliveryId: late } = await world.newDelivery(ports, endpoint);
    await attemptDelivery(ports, late);
    expect((await world.find(ports, late)).nextAttemptAt).toEqual(new Date(world.nowMs + 24 * hourMs));
  });

  it('is not attempted before it is due', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    world.receiver.react(() => ({ status: 500 }));
    const { deliveryId } = await world.newDelivery(ports, endpoint);
    await attemptDelivery(ports, deliveryId);
    expect(await attemptDelivery(ports, deliveryId)).toBe('waits');
    expect(world.requestsTo(endpoint)).toHaveLength(1);
  });

  it('ends at 410, which disables the endpoint at once', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    world.receiver.react(() => ({ status: 410 }));
    const { deliveryId } = await world.newDelivery(ports, endpoint);
    expect(await attemptDelivery(ports, deliveryId)).toBe('ended');
    expect(await world.find(ports, deliveryId)).toMatchObject({
      state: 'failed',
      statusCode: 410,
      fault: 'refused',
    });
    expect(await ports.endpoints.findOf(endpoint.accountId, endpoint.endpointId)).toMatchObject({
      disabledReason: 'gone',
    });
  });

  it('is recorded once when two workers attempt it at the same time', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    const { deliveryId, deliveryNo } = await world.newDelivery(ports, endpoint);
    const both = Promise.withResolvers<void>();
    let sent = 0;
    const together: Ports = {
      ...ports,
      async send(...request) {
        const answer = await ports.send(...request);
        sent += 1;
        if (sent === 2) {
          both.resolve();
        }
        await both.promise;
        return answer;
      },
    };
    const outcomes = await Promise.all([
      attemptDelivery(together, deliveryId),
      attemptDelivery(together, deliveryId),
    ]);
    expect(outcomes.toSorted()).toEqual(['ended', 'waits']);
    expect(await ports.deliveries.listAttempts(deliveryNo)).toHaveLength(1);
  });

  it('that is sent again starts over, with the same body under the same id', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    world.receiver.react(() => ({ status: 500 }));
    const delivery = await world.newDelivery(ports, endpoint);
    await world.attemptsUntilEnd(ports, delivery.deliveryId);
    const enabled = { enabled: true };
    await changeEndpoint(ports, endpoint.accountId, endpoint.endpointId, enabled);
    world.receiver.react(() => ({ status: 200 }));
    const sent = await resend(ports, endpoint.accountId, endpoint.endpointId, delivery.deliveryId);
    expect(sent.kind).toBe('sent');
    expect(await attemptDelivery(ports, delivery.deliveryId)).toBe('ended');
    const last = world.requestsTo(endpoint).at(-1);
    expect([last?.headers['webhook-id'], last?.body]).toEqual([delivery.eventId, delivery.body]);
    expect(await world.find(ports, delivery.deliveryId)).toMatchObject({ state: 'delivered', fault: null });
  });
});

describe('nothing is sent', () => {
  it.each([
    ['http://127.0.0.1:9/', []],
    ['http://169.254.169.254/latest/meta-data', []],
    ['https://10.0.0.1/', []],
    ['https://[::ffff:127.0.0.1]/', []],
    ['https://localhost/', []],
  ])('to a forbidden address: %s', async (url, ranges) => {
    const ports = world.openPorts(ranges);
    const { deliveryId } = await world.newDelivery(ports, await world.newEndpoint(ports, url));
    expect(await attemptDelivery(ports, deliveryId)).toBe('waits');
    expect(await world.find(ports, deliveryId)).toMatchObject({ fault: 'not_allowed', statusCode: null });
  });

  it('to the target of a redirect', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    const target = `/${newId('request')}`;
    world.receiver.react(({ path }) =>
      path === target ? { status: 200 } : { status: 307, headers: { location: world.receiver.url + target } },
    );
    const { deliveryId } = await world.newDelivery(ports, endpoint);
    await attemptDelivery(ports, deliveryId);
    expect(await world.find(ports, deliveryId)).toMatchObject({ fault: 'redirected', statusCode: 307 });
    expect(world.receiver.requests.filter(({ path }) => path === target)).toEqual([]);
  });
});
