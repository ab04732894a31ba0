import { untilChanged } from '@mailproof/durable-work';
import {
  type AccountId,
  type EventDeliveryId,
  eventSchema,
  newId,
  type WebhookEndpointId,
} from '@mailproof/shared-types';
import type { Delivery, DeliveryLog, DeliveryStore } from './delivery.ts';
import type { EndpointStore } from './endpoint.ts';

export interface SendAgainPorts {
  readonly endpoints: Pick<EndpointStore, 'findOf'>;
  readonly deliveries: Pick<DeliveryStore & DeliveryLog, 'change' | 'findIn' | 'add'>;
  readonly now: () => Date;
}

export type Sent =
  | { readonly kind: 'sent'; readonly delivery: Delivery }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'disabled' };

/** Sends an event again now: the same body under the same id, with the retries of a new event. */
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
    const change = {
      state: 'pending',
      fault: null,
      nextAttemptAt: now(),
      retriedUntil: null,
      movedAt: now(),
      endedAt: null,
      failedAttempts: 0,
    } as const;
    const changed = await deliveries.change(delivery, change, { waitMs: 0 });
    return changed && { kind: 'sent', delivery: changed };
  });
}

/** Sends a test event to one endpoint. */
export async function sendTest(
  { endpoints, deliveries, now }: SendAgainPorts,
  accountId: AccountId,
  endpointId: WebhookEndpointId,
): Promise<Sent> {
  const endpoint = await endpoints.findOf(accountId, endpointId);
  if (!endpoint) {
    return { kind: 'not_found' };
  }
  if (endpoint.disabledAt !== null) {
    return { kind: 'disabled' };
  }
  const type = 'webhook_endpoint.test';
  const timestamp = now().toISOString();
  const data = { account_id: accountId, endpoint_id: endpointId };
  const body = JSON.stringify(eventSchema(type).parse({ type, timestamp, data }));
  const event = { eventId: newId('event'), accountId, type, body } as const;
  const delivery = await deliveries.add(endpoint, event, newId('eventDelivery'), now());
  return { kind: 'sent', delivery };
}
