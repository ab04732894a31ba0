import { type Handlers, Problem } from '@mailproof/service-kit';
import {
  type AccountId,
  type EventDeliveryId,
  type EventDeliveryRecord,
  type EventFault,
  endpointDisabledReasons,
  eventFaults,
  limits,
  newId,
  type WebhookEndpointId,
  type WebhookEndpointRecord,
} from '@mailproof/shared-types';
import type { Attempt, Delivery, DeliveryLog, DeliveryStore } from '../domain/events/delivery.ts';
import {
  assertUsable,
  changeEndpoint,
  type Endpoint,
  type EndpointEvents,
  type EndpointPorts,
  rotateSecret,
} from '../domain/events/endpoint.ts';
import { resend, type Sent, sendTest } from '../domain/events/send-again.ts';
import { orDestinationProblem } from './webhook-pushes.ts';

export interface WebhookEndpointPorts extends EndpointPorts {
  readonly deliveries: DeliveryStore & DeliveryLog;
  readonly events: EndpointEvents;
}

/** How long a test event counts, for each that may be sent in that time. */
const tooManyRetrySeconds = `${3_600 / limits.eventTestsPerHourMax}`;

/** Endpoints for events, and the deliveries to them. */
export function webhookEndpointHandlers(ports: WebhookEndpointPorts) {
  const { endpoints, deliveries, classifyHost, newSigningSecret, events, now } = ports;

  /** An endpoint of the account, or the problem `webhook_endpoint_not_found`. */
  const find = async (accountId: AccountId, endpointId: WebhookEndpointId) =>
    found(await endpoints.findOf(accountId, endpointId));

  return {
    async createWebhookEndpoint({ params: { accountId, callerId }, body }) {
      await orDestinationProblem((async () => assertUsable(body.url, classifyHost))(), '/');
      const signingSecret = newSigningSecret();
      const created = await endpoints.create(
        {
          endpointId: newId('webhookEndpoint'),
          accountId,
          createdBy: callerId,
          description: body.description ?? null,
          eventTypes: body.event_types,
          destination: { url: body.url, signingSecret, previousSecret: null },
          createdAt: now(),
        },
        limits.webhookEndpointsMax,
      );
      if (!created) {
        throw new Problem('too_many_webhook_endpoints');
      }
      events.endpointManaged(created, callerId, { act: 'created' });
      return { ...endpointAnswer(created, now()), signing_secret: signingSecret };
    },

    listWebhookEndpoints: async ({ params: { accountId } }) => ({
      endpoints: (await endpoints.list(accountId)).map(each => endpointAnswer(each, now())),
    }),

    getWebhookEndpoint: async ({ params: { accountId, endpoint_id: endpointId } }) =>
      endpointAnswer(await find(accountId, endpointId), now()),

    async changeWebhookEndpoint({ params: { accountId, callerId, endpoint_id: endpointId }, body }) {
      const { url, description, event_types: eventTypes, enabled } = body;
      const wanted = { url, description, eventTypes, enabled };
      const changed = found(
        await orDestinationProblem(changeEndpoint(ports, accountId, endpointId, wanted), '/'),
      );
      events.endpointManaged(changed, callerId, { act: 'changed', members: Object.keys(body) });
      return endpointAnswer(changed, now());
    },

    async deleteWebhookEndpoint({ params: { accountId, callerId, endpoint_id: endpointId } }) {
      if (!(await endpoints.delete(accountId, endpointId))) {
        throw new Problem('webhook_endpoint_not_found');
      }
      events.endpointManaged({ endpointId, accountId }, callerId, { act: 'deleted' });
      return { deleted: true as const };
    },

    async rotateWebhookSecret({ params: { accountId, callerId, endpoint_id: endpointId } }) {
      const rotated = found(await rotateSecret(ports, accountId, endpointId, limits.eventSecretOverlapMs));
      if (!rotated.destination) {
        const errors = [{ pointer: '/url', detail: eventFaults.not_readable }];
        throw new Problem('destination_not_valid', { extra: { errors } });
      }
      events.endpointManaged(rotated, callerId, { act: 'secret_rotated' });
      return { ...endpointAnswer(rotated, now()), signing_secret: rotated.destination.signingSecret };
    },

    async testWebhookEndpoint({
      params: { accountId, endpoint_id: endpointId },
      query: { event_type: type },
    }) {
      const sent = await sendTest(ports, accountId, endpointId, type);
      return deliveryAnswer(sentDelivery(sent, 'webhook_endpoint_not_found'));
    },

    async listEventDeliveries({ params: { accountId, endpoint_id: endpointId }, query }) {
      const page = await deliveries.list(await find(accountId, endpointId), query);
      return {
        deliveries: page.deliveries.map(deliveryAnswer),
        ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
      };
    },

    async getEventDelivery({ params: { accountId, endpoint_id: endpointId, delivery_id: deliveryId } }) {
      const delivery = await findDelivery(accountId, endpointId, deliveryId);
      return {
        ...deliveryAnswer(delivery),
        payload: delivery.body,
        attempt_log: (await deliveries.listAttempts(delivery.deliveryNo)).map(attemptAnswer),
      };
    },

    async resendEventDelivery({ params: { accountId, endpoint_id: endpointId, delivery_id: deliveryId } }) {
      const sent = await resend(ports, accountId, endpointId, deliveryId);
      return deliveryAnswer(sentDelivery(sent, 'event_delivery_not_found'));
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;

  async function findDelivery(
    accountId: AccountId,
    endpointId: WebhookEndpointId,
    deliveryId: EventDeliveryId,
  ): Promise<Delivery> {
    const endpoint = await endpoints.findOf(accountId, endpointId);
    const delivery = endpoint && (await deliveries.findIn(endpoint, deliveryId));
    if (!delivery) {
      throw new Problem('event_delivery_not_found');
    }
    return delivery;
  }
}

function found(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint) {
    throw new Problem('webhook_endpoint_not_found');
  }
  return endpoint;
}

function sentDelivery(
  sent: Sent,
  notFound: 'webhook_endpoint_not_found' | 'event_delivery_not_found',
): Delivery {
  switch (sent.kind) {
    case 'sent':
      return sent.delivery;
    case 'disabled':
      throw new Problem('webhook_endpoint_disabled');
    case 'tooMany':
      throw new Problem('too_many_deliveries', { headers: { 'retry-after': tooManyRetrySeconds } });
    case 'not_found':
      throw new Problem(notFound);
  }
}

function endpointAnswer(endpoint: Endpoint, now: Date): WebhookEndpointRecord {
  const { disabledAt, disabledReason, previousSecretUntil } = endpoint;
  const isOverlapping = previousSecretUntil !== null && previousSecretUntil > now;
  return {
    endpoint_id: endpoint.endpointId,
    url: endpoint.destination?.url ?? null,
    description: endpoint.description,
    event_types: [...endpoint.eventTypes],
    enabled: disabledAt === null,
    disabled:
      disabledAt !== null && disabledReason !== null
        ? {
            reason: disabledReason,
            detail: endpointDisabledReasons[disabledReason],
            at: disabledAt.toISOString(),
          }
        : null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    previous_secret_valid_until: isOverlapping ? previousSecretUntil.toISOString() : null,
    created_by: endpoint.createdBy,
    created_at: endpoint.createdAt.toISOString(),
  };
}

function deliveryAnswer(delivery: Delivery): EventDeliveryRecord {
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    type: delivery.type,
    test: isTest(delivery),
    state: delivery.state,
    attempts: delivery.attempts,
    status_code: delivery.statusCode,
    fault: faultAnswer(delivery.fault),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    ended_at: delivery.endedAt?.toISOString() ?? null,
  };
}

/** Its body says so; that of a previous release says it by its type only. */
function isTest({ type, body }: Delivery): boolean {
  return type === 'webhook_endpoint.test' || (JSON.parse(body) as { test?: unknown }).test === true;
}

function attemptAnswer(attempt: Attempt) {
  return {
    attempt: attempt.attemptNo,
    at: attempt.attemptedAt.toISOString(),
    status_code: attempt.statusCode,
    duration_ms: attempt.durationMs,
    fault: faultAnswer(attempt.fault),
  };
}

function faultAnswer(fault: EventFault | null) {
  return fault && { reason: fault, detail: eventFaults[fault] };
}
