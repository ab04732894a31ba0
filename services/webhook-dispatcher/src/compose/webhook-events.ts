import { startSweep } from '@mailproof/durable-work/postgres';
import {
  createFairTurns,
  createSealer,
  type EventSource,
  isUnavailable,
  type OperationClient,
  type Recurring,
  startRecurring,
  takeEvents,
  takeEventsHandler,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import {
  type AccountId,
  deliverEventJob,
  eventData,
  eventWaitMsMax,
  limits,
  takeCreditsEvents,
  takeProfilesEvents,
  takeValidationEvents,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createSendRow } from '../adapters/outside/send-row.ts';
import { createDeliveryStore } from '../adapters/postgres/delivery-store.ts';
import {
  createEndpointStore,
  resealEndpoints,
  sealedEventDestinationType,
} from '../adapters/postgres/endpoint-store.ts';
import type { Config } from '../config.ts';
import type { DeliveryPorts } from '../domain/events/delivery.ts';
import { secretsOf } from '../domain/events/endpoint.ts';
import { type StoredEvent, storeEvent } from '../domain/events/take-events.ts';
import { createHostSlots } from '../domain/push/pace.ts';
import type { Events } from '../events.ts';
import { webhookEndpointHandlers } from '../http/webhook-endpoints.ts';
import { deliverEventHandler } from '../workers/run-work.ts';
import { createClassifyHost, newSigningSecret, type OutsideWays, userAgent } from './pushes.ts';

interface WebhookEventsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
  readonly ways: OutsideWays;
  readonly enginePeer: OperationClient;
  readonly enrichmentPeer: OperationClient;
  readonly ledgerPeer: OperationClient;
}

/** Events: taken over from the services in which they happen, and delivered to the accounts' endpoints (ADR 0070). */
export interface WebhookEvents {
  readonly handlers: ReturnType<typeof webhookEndpointHandlers> & {
    readonly takeAllEvents: ReturnType<typeof takeEventsHandler>;
  };
  readonly jobs: readonly OutboxJob[];
  /** Deletes some of the endpoints and deliveries of a deleted account; returns how many. */
  forgetAccount(accountId: AccountId): Promise<number>;
  start(): void;
  markStopping(): void;
  close(): Promise<void>;
}

/** The deadline for an endpoint to answer, in milliseconds. */
const answerMsMax = 15_000;
/** How many deliveries one process works on at once, in total and for one account. */
const deliveriesAtOnceMax = 200;
const attemptsAtOnceMax = 32;
const attemptsPerAccountMax = 4;
const deliveriesPerAccountMax = 8;
/** The pause after a service could not be asked for events, in milliseconds. */
const takeAgainMs = 1_000;
const takeMarginMs = 5_000;
const resealEveryMs = 600_000;
const deleteEveryMs = 3_600_000;
const dayMs = 86_400_000;

export function composeWebhookEvents(options: WebhookEventsOptions): WebhookEvents {
  const { config, pool, events, now } = options;
  const stopping = new AbortController();
  const sealer = createSealer(config.DESTINATION_ENCRYPTION_KEYS, sealedEventDestinationType);
  const endpoints = createEndpointStore(pool, sealer);
  const deliveries = createDeliveryStore(pool, sealer);
  const sendRow = createSendRow({
    outside: options.ways,
    slots: createHostSlots(config.PUSH_REQUESTS_PER_HOST_MAX),
    userAgent,
    deadlineMs: answerMsMax,
    now,
  });
  const ports: DeliveryPorts = {
    deliveries,
    async send(endpoint, event) {
      const [signingSecret, previousSecret] = secretsOf(endpoint, now());
      if (!endpoint.destination || signingSecret === undefined) {
        throw new Error('An endpoint without a destination cannot be sent to.');
      }
      const { url } = endpoint.destination;
      return (await sendRow({ url, header: null, signingSecret, previousSecret }, event)).answer;
    },
    events,
    now,
    random: Math.random,
    retryMs: limits.eventRetryMs,
  };
  const recurring: Recurring[] = [];
  return {
    handlers: {
      ...webhookEndpointHandlers({
        endpoints,
        deliveries,
        classifyHost: createClassifyHost(config.OUTBOUND_ALLOWED_PRIVATE_RANGES),
        newSigningSecret,
        events,
        now,
      }),
      takeAllEvents: takeEventsHandler(pool, stopping.signal),
    },
    jobs: [
      outboxJob(
        deliverEventJob,
        deliveriesAtOnceMax,
        deliverEventHandler({
          ports,
          perAccountMax: deliveriesPerAccountMax,
          turns: createFairTurns(attemptsAtOnceMax, attemptsPerAccountMax, 'deliver event'),
          isUnavailable,
          stopping: stopping.signal,
        }),
      ),
    ],
    forgetAccount: accountId => endpoints.deleteOfAccount(accountId),
    start() {
      const store = deliveries;
      const storing = { store: (event: StoredEvent) => deliveries.store(event, now()), events };
      recurring.push(
        ...eventSourcesOf(options).map(source =>
          startRecurring({
            everyMs: takeAgainMs,
            work: () => takeEvents(source, event => storeEvent(storing, event), stopping.signal),
            onFailed: error => stopping.signal.aborted || events.eventsNotTaken(source.service, error),
          }),
        ),
        startSweep({ store, now, told: events.deliveriesSwept, onFailed: events.deliverySweepFailed }),
        startRecurring({
          everyMs: deleteEveryMs,
          work: () =>
            deliveries.deleteEnded(new Date(now().getTime() - limits.eventDeliveryKeptDays * dayMs)),
          told: events.deliveriesDeleted,
          onFailed: events.deliverySweepFailed,
        }),
        startRecurring({
          everyMs: resealEveryMs,
          work: () => resealEndpoints(pool, sealer),
          told: events.endpointsResealed,
          onFailed: events.deliverySweepFailed,
        }),
      );
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await Promise.all(recurring.map(each => each.close()));
    },
  };
}

const knownTypes = Object.keys(eventData);

function eventSourcesOf({ enginePeer, enrichmentPeer, ledgerPeer }: WebhookEventsOptions): EventSource[] {
  const sources = [
    [enginePeer, takeValidationEvents],
    [enrichmentPeer, takeProfilesEvents],
    [ledgerPeer, takeCreditsEvents],
  ] as const;
  return sources.map(([peer, operation]) => ({
    service: operation.answeredBy,
    async take(stored, signal) {
      const request = { params: {}, body: { stored: [...stored], types: knownTypes } };
      const { events } = await peer.call(operation, request, {
        deadlineMs: eventWaitMsMax + takeMarginMs,
        signal,
      });
      return events;
    },
  }));
}
