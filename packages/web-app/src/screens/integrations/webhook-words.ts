import type { Schema } from '../../api/client.ts';
import type { StateLook } from '../../design/looks.ts';

export type WebhookEndpoint = Schema['WebhookEndpoint'];
export type EventDelivery = Schema['EventDelivery'];
export type SubscribedType = WebhookEndpoint['event_types'][number];

/** The events, by what has happened. */
const subscribed: Readonly<Record<SubscribedType, string>> = {
  'validation_job.finished': 'A validation job has ended',
  'validation_job.needs_credits': 'A validation job needs credits',
  'export.finished': 'An export has ended',
  'discovery_run.finished': 'A people or lookalike run has ended',
  'crm_import.finished': 'An import from a CRM has ended',
  'people_import.finished': 'An import of people has ended',
  'credits.low': 'Credits are below the threshold',
};

export const subscribedTypes = Object.keys(subscribed) as SubscribedType[];

export const eventNames: Readonly<Record<EventDelivery['type'], string>> = {
  ...subscribed,
  'webhook_endpoint.test': 'Test event',
};

export const deliveryStates: Readonly<Record<EventDelivery['state'], StateLook>> = {
  pending: { name: 'Waiting', tone: 'neutral' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Canceled', tone: 'caution' },
};

/** Whether an endpoint works, in a word. */
export function endpointState({ disabled, failing_since: failingSince }: WebhookEndpoint): StateLook {
  if (disabled) return { name: 'Disabled', tone: disabled.reason === 'asked' ? 'neutral' : 'bad' };
  return failingSince ? { name: 'Failing', tone: 'caution' } : { name: 'Enabled', tone: 'good' };
}

/** The name of an endpoint: its description, or else its host. */
export function endpointName({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string {
  return description ?? (url === null ? 'Unreadable URL' : new URL(url).host);
}
