import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFairTurns } from '@mailproof/service-kit';
import { type EventType, eventData, limits } from '@mailproof/shared-types';
import { attemptDelivery, type Delivery } from '../src/domain/events/delivery.ts';
import { changeEndpoint, type Endpoint } from '../src/domain/events/endpoint.ts';
import { resend, sendTest } from '../src/domain/events/send-again.ts';
import { deliverEventHandler } from '../src/workers/run-work.ts';
import { type EventsWorld, hourMs, openEventsWorld, type Ports } from './events-world.ts';

/* What one account, one endpoint and one fault can use of what all share. */

let world: EventsWorld;
let ports: Ports;

beforeAll(async () => {
  world = await openEventsWorld();
  ports = world.openPorts();
});

afterAll(() => world?.close());

beforeEach(() => {
  world.nowMs = Date.parse('2026-11-27T10:00:00Z');
  world.receiver.react(() => ({ status: 200 }));
});

async function deliveriesTo(endpoint: Endpoint, count: number): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (let at = 0; at < count; at += 1) deliveries.push(await world.newDelivery(ports, endpoint));
  return deliveries;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
}

/** The handler of jobs, whose sends to one endpoint wait until `release`. */
function openHandler(slow: Endpoint, stopping = new AbortController().signal) {
  const released = Promise.withResolvers<void>();
  const sends: string[] = [];
  const handle = deliverEventHandler({
    ports: {
      ...ports,
      async send(endpoint, event) {
        sends.push(endpoint.endpointId);
        if (endpoint.endpointId === slow.endpointId) await released.promise;
        return ports.send(endpoint, event);
      },
    },
    turns: createFairTurns(8, 2),
    perAccountMax: 4,
    isUnavailable: () => false,
    stopping,
  });
  return { handle, sends, release: () => released.resolve() };
}

describe('a slow endpoint', () => {
  it('occupies a few workers; other deliveries of its account come back later', async () => {
    const slow = await world.newEndpoint(ports);
    const { handle, sends, release } = openHandler(slow);
    const deliveries = await deliveriesTo(slow, 12);
    // As the relay does.
    await world.pool.query('UPDATE outbox SET enqueued_at = now()');
    const putBack: Delivery[] = [];
    const jobs = deliveries.map(async delivery => {
      await handle(delivery);
      putBack.push(delivery);
    });
    await until(() => putBack.length === 8);
    const other = await world.newEndpoint(ports);
    const [quick] = await deliveriesTo(other, 1);
    if (quick) await handle(quick);
    expect(sends.filter(id => id === other.endpointId)).toHaveLength(1);
    for (const { deliveryId } of putBack.slice(0, 8)) {
      expect(await world.find(ports, deliveryId)).toMatchObject({ state: 'pending', attempts: 0 });
      // Another job, 5 to 30 seconds later.
      expect(await world.jobsOf(deliveryId)).toEqual([0, 17_500]);
    }
    release();
    await Promise.all(jobs);
    for (const { deliveryId } of putBack.slice(8)) {
      expect(await world.find(ports, deliveryId)).toMatchObject({ state: 'delivered' });
    }
    const [next] = await deliveriesTo(slow, 1);
    if (next) await handle(next);
    expect(sends.filter(id => id === slow.endpointId)).toHaveLength(5);
  });

  it('does not keep a stopping process busy with the deliveries that wait for their turn', async () => {
    const slow = await world.newEndpoint(ports);
    const stopping = new AbortController();
    const { handle, sends, release } = openHandler(slow, stopping.signal);
    const deliveries = await deliveriesTo(slow, 4);
    const jobs = deliveries.map(handle);
    await until(() => sends.length === 2);
    stopping.abort();
    release();
    const ends = await Promise.allSettled(jobs);
    expect(ends.map(({ status }) => status).toSorted()).toEqual([
      ...Array(2).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ]);
    expect(sends).toHaveLength(2);
  });
});

describe('an endpoint', () => {
  it('gets a number of test events an hour', async () => {
    const endpoint = await world.newEndpoint(ports);
    let sent = 0;
    const types = Object.keys(eventData) as EventType[];
    const test = () => {
      sent += 1;
      const type = types[sent % types.length] ?? 'credits.low';
      return sendTest(ports, endpoint.accountId, endpoint.endpointId, type);
    };
    while (sent < limits.eventTestsPerHourMax) expect((await test()).kind).toBe('sent');
    expect((await test()).kind).toBe('tooMany');
    world.nowMs += hourMs;
    expect((await test()).kind).toBe('sent');
  });

  it('has a number of waiting events, resent ones and tests included', async () => {
    const endpoint = await world.newEndpoint(ports);
    const delivery = await world.newDelivery(ports, endpoint);
    await attemptDelivery(ports, delivery.deliveryId);
    await world.pool.query(
      `INSERT INTO event_delivery (delivery_id, endpoint_no, account_id, event_id, type, body, created_at, moved_at,
         next_attempt_at)
       SELECT 'dlv_' || n, $1, $2, 'evt_' || n, 'credits.low', '{}', now(), now(), now()
       FROM generate_series(1, $3::int) n`,
      [endpoint.endpointNo, endpoint.accountId, limits.eventDeliveriesWaitingMax],
    );
    const again = await resend(ports, endpoint.accountId, endpoint.endpointId, delivery.deliveryId);
    expect(again.kind).toBe('tooMany');
    expect((await sendTest(ports, endpoint.accountId, endpoint.endpointId, 'credits.low')).kind).toBe(
      'tooMany',
    );
    await ports.deliveries.store(world.eventFor(endpoint), world.now());
    const { deliveries } = await ports.deliveries.list(endpoint, { limit: 1 });
    expect(deliveries).toMatchObject([{ state: 'failed', fault: 'too_many_waiting' }]);
  });

  it('is not disabled because its destination cannot be decrypted', async () => {
    const endpoint = await world.newEndpoint(ports);
    const delivery = await world.newDelivery(ports, endpoint);
    await world.pool.query("UPDATE webhook_endpoint SET sealed_destination = 'x' WHERE endpoint_no = $1", [
      endpoint.endpointNo,
    ]);
    await world.attemptsUntilEnd(ports, delivery.deliveryId);
    expect(await world.find(ports, delivery.deliveryId)).toMatchObject({
      state: 'failed',
      fault: 'not_readable',
    });
    const { disabledAt, failingSince } =
      (await ports.endpoints.findOf(endpoint.accountId, endpoint.endpointId)) ?? {};
    expect([disabledAt, failingSince]).toEqual([null, null]);
  });

  it('with another URL does not inherit the failures of the previous one', async () => {
    const endpoint = await world.newEndpoint(ports);
    const { accountId, endpointId } = endpoint;
    world.receiver.react(() => ({ status: 503 }));
    await attemptDelivery(ports, (await world.newDelivery(ports, endpoint)).deliveryId);
    expect((await ports.endpoints.findOf(accountId, endpointId))?.failingSince).toEqual(world.now());
    const url = `${world.receiver.url}/other`;
    expect((await changeEndpoint(ports, accountId, endpointId, { url }))?.failingSince).toBeNull();
  });
});

describe('a delivery', () => {
  it('that waits keeps the end of its retries when it is resent', async () => {
    const endpoint = await world.newEndpoint(ports);
    const { deliveryId } = await world.newDelivery(ports, endpoint);
    world.receiver.react(() => ({ status: 503 }));
    await attemptDelivery(ports, deliveryId);
    const { retriedUntil } = await world.find(ports, deliveryId);
    world.nowMs += hourMs;
    await resend(ports, endpoint.accountId, endpoint.endpointId, deliveryId);
    expect(await world.find(ports, deliveryId)).toMatchObject({ retriedUntil, nextAttemptAt: world.now() });
    expect(retriedUntil).toEqual(new Date(world.nowMs + 23 * hourMs));
  });

  it('keeps its latest attempts', async () => {
    const endpoint = await world.newEndpoint(ports);
    const { deliveryId, deliveryNo } = await world.newDelivery(ports, endpoint);
    world.receiver.react(() => ({ status: 503 }));
    await attemptDelivery(ports, deliveryId);
    const shown = limits.eventAttemptsShownMax;
    await world.pool.query('UPDATE event_delivery SET attempts = $2 WHERE delivery_id = $1', [
      deliveryId,
      shown,
    ]);
    world.nowMs += hourMs;
    await attemptDelivery(ports, deliveryId);
    const log = await ports.deliveries.listAttempts(deliveryNo);
    expect(log.map(({ attemptNo }) => attemptNo)).toEqual([shown + 1]);
    const { rows } = await world.pool.query('SELECT FROM event_attempt WHERE delivery_no = $1', [deliveryNo]);
    expect(rows).toHaveLength(1);
  });
});
