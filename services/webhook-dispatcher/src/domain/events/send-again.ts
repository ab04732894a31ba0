import { untilChanged } from '@mailproof/durable-work';
import {
  type AccountId,
  type EventDeliveryId,
  type EventType,
  exampleEvent,
  limits,
  newId,
  type WebhookEndpointId,
} from '@mailproof/shared-types';
import type { Delivery, DeliveryLog, DeliveryStore } from './delivery.ts';
import type { EndpointStore } from './endpoint.ts';

export interface SendAgainPorts {
  readonly endpoints: Pick<EndpointStore, 'findOf'>;
  readonly deliveries: Pick<DeliveryStore & DeliveryLog, 'change' | 'findIn' | 'add' | 'countFor'>;
  readonly now: () => Date;
}

export type Sent =
  | { readonly kind: 'sent'; readonly delivery: Delivery }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'disabled' }
  /** Too many deliveries wait for the endpoint, or it got too many test events. */
  | { readonly kind: 'tooMany' };

/**
 * Sends an event again now: the same body under the same id. A delivery that has ended gets the retries of a new one; a
 * delivery that waits keeps the end of its retries.
 */
export async function resend(
  { endpoints, deliveries, now }: SendAgainPorts,
  accountId: AccountId,
  endpointId: WebhookEndpointId,
  deliveryId: EventDeliveryId,
): Promise<Sent> {
  const endpoint = await endpoints.findOf(accountId, endpointId);
  if (!endpoint) {
    return { kind: 'not_found' };
  }
  return untilChanged(async (): Promise<Sent | undefined> => {
    const delivery = await deliveries.findIn(endpoint, deliveryId);
    if (!delivery) {
      return { kind: 'not_found' };
    }
    if (endpoint.disabledAt !== null) {
      return { kind: 'disabled' };
    }
    const isWaiting = delivery.state === 'pending';
    if (
      !isWaiting &&
      (await deliveries.countFor(endpoint, now())).waiting >= limits.eventDeliveriesWaitingMax
    ) {
      return { kind: 'tooMany' };
    }
    const change = {
      state: 'pending',
      nextAttemptAt: now(),
      movedAt: now(),
      ...(!isWaiting && { fault: null, retriedUntil: null, endedAt: null, failedAttempts: 0 }),
    } as const;
    const changed = await deliveries.change(delivery, change, { waitMs: 0 });
    return changed && { kind: 'sent', delivery: changed };
  });
}

/** Sends a test event to one endpoint: the example of its type, marked as a test. */
export async function sendTest(
  { endpoints, deliveries, now }: SendAgainPorts,
  accountId: AccountId,
  endpointId: WebhookEndpointId,
  type: EventType,
): Promise<Sent> {
  const endpoint = await endpoints.findOf(accountId, endpointId);
  if (!endpoint) {
    return { kind: 'not_found' };
  }
  if (endpoint.disabledAt !== null) {
    return { kind: 'disabled' };
  }
  const { waiting, tests } = await deliveries.countFor(endpoint, now());
  if (waiting >= limits.eventDeliveriesWaitingMax || tests >= limits.eventTestsPerHourMax) {
    return { kind: 'tooMany' };
  }
  const data = {
    account_id: accountId,
    ...(type === 'webhook_endpoint.test' && { endpoint_id: endpointId }),
  };
  const body = JSON.stringify(exampleEvent(type, { timestamp: now().toISOString(), test: true, data }));
  const event = { eventId: newId('event'), accountId, type, body } as const;
  const delivery = await deliveries.add(endpoint, event, newId('eventDelivery'), now());
  return { kind: 'sent', delivery };
}
