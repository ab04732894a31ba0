import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSealer, takeEvents, takeEventsHandler } from '@mailproof/service-kit';
import { type EventDeliveryId, limits, newId } from '@mailproof/shared-types';
import { resealEndpoints, sealedEventDestinationType } from '../src/adapters/postgres/endpoint-store.ts';
import { attemptDelivery } from '../src/domain/events/delivery.ts';
import { rotateSecret, secretsOf } from '../src/domain/events/endpoint.ts';
import { storeEvent } from '../src/domain/events/take-events.ts';
import { type EventsWorld, hourMs, openEventsWorld, ring, secret } from './events-world.ts';

let world: EventsWorld;

beforeAll(async () => {
  world = await openEventsWorld();
});

afterAll(() => world?.close());

beforeEach(() => {
  world.nowMs = Date.parse('2026-11-27T10:00:00Z');
  world.receiver.react(() => ({ status: 200 }));
});

describe('a secret', () => {
  it('signs next to the new one for a day after its rotation', async () => {
    const ports = world.openPorts();
    const { accountId, endpointId } = await world.newEndpoint(ports);
    const rotated = await rotateSecret(ports, accountId, endpointId, limits.eventSecretOverlapMs);
    if (!rotated) {
      throw new Error('The endpoint is gone.');
    }
    expect(secretsOf(rotated, new Date(world.nowMs + 24 * hourMs - 1))).toEqual([
      ports.newSigningSecret(),
      secret,
    ]);
    expect(secretsOf(rotated, new Date(world.nowMs + 24 * hourMs))).toEqual([ports.newSigningSecret()]);
  });

  it('opens after the key ring was rotated, and an endpoint whose key is gone says so', async () => {
    const before = world.openPorts();
    const endpoint = await world.newEndpoint(before);
    const rotating = createSealer([ring(2), ring(1)], sealedEventDestinationType);
    expect(await resealEndpoints(world.pool, rotating)).toBeGreaterThan(0);
    const after = world.openPorts(undefined, createSealer([ring(2)], sealedEventDestinationType));
    const found = await after.endpoints.findOf(endpoint.accountId, endpoint.endpointId);
    expect(found?.destination).toEqual(endpoint.destination);
    const { deliveryId } = await world.newDelivery(before, endpoint);
    expect(await attemptDelivery(before, deliveryId)).toBe('waits');
    expect(await world.find(before, deliveryId)).toMatchObject({ fault: 'not_readable' });
    expect(world.requestsTo(endpoint)).toEqual([]);
  });
});

describe('events that are taken over', () => {
  const accountId = newId('account');
  const recorded = (type: string, data: Record<string, unknown> = {}) => ({
    event_id: newId('event'),
    account_id: accountId,
    type,
    happened_at: '2026-11-27T10:00:00.000Z',
    data: { account_id: accountId, available: 1, held: 0, threshold: 2, ...data },
  });

  it('are stored once, without what the contract does not name, and are then deleted at their source', async () => {
    const stopping = new AbortController();
    const page = [recorded('credits.low', { canary: 'x' }), recorded('of.a.newer.release')];
    const stored: { eventId: string; body: string }[] = [];
    const unknown: string[] = [];
    const deleted: (readonly string[])[] = [];
    const ports = {
      store: async (event: { eventId: string; body: string }) => void stored.push(event),
      events: { eventNotKnown: (_id: string, type: string) => void unknown.push(type) },
    };
    await takeEvents(
      {
        service: 'credit-ledger',
        async take(ids) {
          deleted.push(ids);
          if (deleted.length === 2) {
            stopping.abort();
            return [];
          }
          return page;
        },
      },
      event => storeEvent(ports, event),
      stopping.signal,
    );
    expect(deleted).toEqual([[], page.map(each => each.event_id)]);
    expect(unknown).toEqual(['of.a.newer.release']);
    expect(stored).toHaveLength(1);
    expect(JSON.parse(stored[0]?.body ?? '')).toEqual({
      type: 'credits.low',
      timestamp: '2026-11-27T10:00:00.000Z',
      data: { account_id: accountId, available: 1, held: 0, threshold: 2 },
    });
  });

  it('are not deleted at their source before they are stored, or if they cannot be stored', async () => {
    const stopping = new AbortController();
    const event = recorded('credits.low');
    const asked: (readonly string[])[] = [];
    const source = {
      service: 'credit-ledger',
      async take(ids: readonly string[]) {
        asked.push(ids);
        if (ids.length > 0) stopping.abort();
        return ids.length > 0 ? [] : [event];
      },
    };
    const events = { eventNotKnown: () => undefined };
    const storing = Promise.withResolvers<void>();
    const taking = takeEvents(
      source,
      each => storeEvent({ store: () => storing.promise, events }, each),
      stopping.signal,
    );
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(asked).toEqual([[]]);
    storing.resolve();
    await taking;
    expect(asked).toEqual([[], [event.event_id]]);
    const refused = { store: () => Promise.reject(new Error('No database.')), events };
    await expect(
      takeEvents(source, each => storeEvent(refused, each), new AbortController().signal),
    ).rejects.toThrow('No database.');
    expect(asked).toEqual([[], [event.event_id], []]);
  });

  it('have one delivery for each endpoint, also if they are stored twice, and at most so many wait', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    const event = world.eventFor(endpoint);
    await ports.deliveries.store(event, world.now());
    await ports.deliveries.store(event, world.now());
    const kept = await world.pool.query('SELECT type FROM event WHERE event_id = $1', [event.eventId]);
    expect(kept.rows).toEqual([{ type: 'credits.low' }]);
    const { deliveries } = await ports.deliveries.list(endpoint, { limit: 10 });
    expect(deliveries).toMatchObject([{ eventId: event.eventId, state: 'pending' }]);
    expect(await world.jobsOf(deliveries[0]?.deliveryId as EventDeliveryId)).toEqual([0]);
    await world.pool.query(
      `INSERT INTO event_delivery (delivery_id, endpoint_no, account_id, event_id, type, body, created_at, moved_at)
       SELECT 'many_' || i, $1, $2, 'many_' || i, 'credits.low', '{}', $3, $3 FROM generate_series(2, $4::int) i`,
      [endpoint.endpointNo, endpoint.accountId, world.now(), limits.eventDeliveriesWaitingMax],
    );
    await ports.deliveries.store(world.eventFor(endpoint), world.now());
    const [full] = (await ports.deliveries.list(endpoint, { limit: 1 })).deliveries;
    expect(full).toMatchObject({ state: 'failed', fault: 'too_many_waiting', nextAttemptAt: null });
    expect(await world.jobsOf(full?.deliveryId as EventDeliveryId)).toEqual([]);
  });

  it('reach a waiting gateway as soon as they are stored', async () => {
    const ports = world.openPorts();
    const endpoint = await world.newEndpoint(ports);
    await world.pool.query('DELETE FROM event');
    const never = new AbortController().signal;
    const taking = takeEventsHandler(world.pool, never);
    const request = { body: { stored: [], types: ['credits.low'] } };
    const delaysMs: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = taking(request, { signal: never }).then(page => ({ page, atMs: performance.now() }));
      await new Promise(resolve => setTimeout(resolve, 100));
      const event = world.eventFor(endpoint);
      await ports.deliveries.store(event, world.now());
      const storedMs = performance.now();
      const { page, atMs } = await answer;
      expect(page.events).toMatchObject([{ event_id: event.eventId }]);
      await world.pool.query('DELETE FROM event');
      delaysMs.push(atMs - storedMs);
    }
    // Without a wake-up, it looks up to a second later.
    expect(Math.min(...delaysMs)).toBeLessThan(300);
  });

  it('are forgotten with their account, and thirty days after their end', async () => {
    const ports = world.openPorts();
    const [gone, kept] = [await world.newEndpoint(ports), await world.newEndpoint(ports)];
    for (const endpoint of [gone, kept]) {
      await attemptDelivery(ports, (await world.newDelivery(ports, endpoint)).deliveryId);
    }
    expect(await ports.endpoints.deleteOfAccount(gone.accountId)).toBe(2);
    expect(await ports.endpoints.deleteOfAccount(gone.accountId)).toBe(0);
    expect((await ports.deliveries.list(kept, { limit: 10 })).deliveries).toHaveLength(1);
    const another = newId('account');
    await ports.deliveries.store({ ...world.eventFor(kept), accountId: another }, world.now());
    const waiting = async () =>
      (await world.pool.query('SELECT FROM event WHERE account_id = $1', [another])).rowCount;
    await ports.deliveries.deleteEnded(world.now());
    expect(await waiting()).toBe(1);
    await ports.deliveries.deleteEnded(new Date(world.nowMs + 1));
    expect(await waiting()).toBe(0);
    expect((await ports.deliveries.list(kept, { limit: 10 })).deliveries).toEqual([]);
  });
});
