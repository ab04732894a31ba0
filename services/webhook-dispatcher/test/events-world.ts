import { openTestDatabase, openWebhookReceiver } from '@mailproof/dev-house';
import { createAddressGuard, createOutside, createSealer, type Outside } from '@mailproof/service-kit';
import { type EventDeliveryId, limits, newId, subscribedEventTypes } from '@mailproof/shared-types';
import { createSendRow } from '../src/adapters/outside/send-row.ts';
import { createDeliveryStore } from '../src/adapters/postgres/delivery-store.ts';
import { createEndpointStore, sealedEventDestinationType } from '../src/adapters/postgres/endpoint-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import {
  attemptDelivery,
  type Delivery,
  type DeliveryLog,
  type DeliveryPorts,
  type DeliveryStore,
} from '../src/domain/events/delivery.ts';
import { type Endpoint, type EndpointPorts, secretsOf } from '../src/domain/events/endpoint.ts';
import { createHostSlots } from '../src/domain/push/pace.ts';

export const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
export const ring = (octet: number) => ({ kid: `ring-${octet}`, key: new Uint8Array(32).fill(octet) });
export const hourMs = 3_600_000;

export type Ports = DeliveryPorts & EndpointPorts & { readonly deliveries: DeliveryStore & DeliveryLog };

export type EventsWorld = Awaited<ReturnType<typeof openEventsWorld>>;

/** The store of events on its own database, a receiver, and a clock that the test sets. */
export async function openEventsWorld() {
  const opened = await openTestDatabase('webhook-dispatcher', openDatabase);
  const { pool } = opened;
  const receiver = await openWebhookReceiver();
  const ways: Outside[] = [];
  const world = { nowMs: 0, disabled: [] as string[] };
  const now = () => new Date(world.nowMs);

  function openPorts(
    allowedRanges = ['127.0.0.1/32'],
    sealer = createSealer([ring(1)], sealedEventDestinationType),
  ): Ports {
    const https = createOutside({ guard: createAddressGuard(allowedRanges), allowsHttp: false });
    const http = createOutside({
      guard: createAddressGuard(allowedRanges, { admitsPublic: false }),
      allowsHttp: true,
    });
    ways.push(https, http);
    const sendRow = createSendRow({
      outside: { https, http },
      slots: createHostSlots(4),
      userAgent: 'Mailproof/1.0',
      deadlineMs: 2_000,
      now,
    });
    const deliveries = createDeliveryStore(pool, sealer);
    const endpoints = createEndpointStore(pool, sealer);
    return {
      endpoints,
      deliveries,
      classifyHost: () => 'allowed',
      newSigningSecret: () => `whsec_${Buffer.alloc(32, 4).toString('base64')}`,
      async send(endpoint, event) {
        const [signingSecret = '', previousSecret] = secretsOf(endpoint, now());
        const url = endpoint.destination?.url ?? '';
        return (await sendRow({ url, header: null, signingSecret, previousSecret }, event)).answer;
      },
      events: {
        eventDelivered: () => undefined,
        eventNotDelivered: () => undefined,
        endpointDisabled: (endpointId, _account, reason) =>
          void world.disabled.push(`${endpointId} ${reason}`),
      },
      now,
      random: () => 0.5,
      retryMs: limits.eventRetryMs,
    };
  }

  async function newEndpoint(ports: Ports, url = `${receiver.url}/${newId('request')}`): Promise<Endpoint> {
    const endpoint = await ports.endpoints.create(
      {
        endpointId: newId('webhookEndpoint'),
        accountId: newId('account'),
        createdBy: newId('user'),
        description: null,
        eventTypes: subscribedEventTypes,
        destination: { url, signingSecret: secret, previousSecret: null },
        createdAt: now(),
      },
      10,
    );
    if (!endpoint) {
      throw new Error('There are too many endpoints.');
    }
    return endpoint;
  }

  const eventFor = ({ accountId }: Endpoint) => ({
    eventId: newId('event'),
    accountId,
    type: 'credits.low' as const,
    body: '{"type":"credits.low","timestamp":"2026-11-27T10:00:00Z","data":{}}',
  });

  async function newDelivery(ports: Ports, endpoint: Endpoint): Promise<Delivery> {
    return ports.deliveries.add(endpoint, eventFor(endpoint), newId('eventDelivery'), now());
  }

  async function find(ports: Ports, deliveryId: EventDeliveryId): Promise<Delivery> {
    const delivery = await ports.deliveries.find(deliveryId);
    if (!delivery) {
      throw new Error('The delivery is gone.');
    }
    return delivery;
  }

  /** The waits until the next job, in milliseconds, by the database's clock. */
  async function jobsOf(deliveryId: EventDeliveryId): Promise<number[]> {
    const { rows } = await pool.query<{ wait: number }>(
      `SELECT extract(epoch FROM due_at - created_at)::float8 * 1000 AS wait FROM outbox
       WHERE payload->>'deliveryId' = $1 ORDER BY outbox_id`,
      [deliveryId],
    );
    return rows.map(({ wait }) => Math.round(wait));
  }

  /** Attempts a delivery until it ends, and returns the moments of the attempts, in milliseconds after the first. */
  async function attemptsUntilEnd(ports: Ports, deliveryId: EventDeliveryId): Promise<number[]> {
    const startMs = world.nowMs;
    const moments: number[] = [];
    for (;;) {
      const before = await find(ports, deliveryId);
      if (before.state !== 'pending') {
        return moments;
      }
      world.nowMs = Math.max(world.nowMs, before.nextAttemptAt?.getTime() ?? 0);
      moments.push(world.nowMs - startMs);
      // As the worker of the attempt does.
      await pool.query(
        "UPDATE outbox SET enqueued_at = now(), done_at = now() WHERE payload->>'deliveryId' = $1",
        [deliveryId],
      );
      await attemptDelivery(ports, deliveryId);
    }
  }

  const requestsTo = ({ destination }: Endpoint) =>
    receiver.requests.filter(({ path }) => destination?.url === receiver.url + path);

  return Object.assign(world, {
    pool,
    receiver,
    now,
    openPorts,
    newEndpoint,
    eventFor,
    newDelivery,
    find,
    jobsOf,
    attemptsUntilEnd,
    requestsTo,
    async close() {
      await Promise.all(ways.map(each => each.close()));
      await opened.close();
      await receiver.close();
    },
  });
}
