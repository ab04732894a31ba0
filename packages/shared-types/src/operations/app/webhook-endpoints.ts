import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { eventType } from '../../events/event.ts';
import {
  eventDelivery,
  eventDeliveryDetail,
  eventDeliveryStates,
  newWebhookEndpoint,
  signingSecretShown,
  webhookEndpoint,
  webhookEndpointChange,
} from '../../events/webhook-endpoint.ts';
import { eventDeliveryId, webhookEndpointId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { pageOf } from './discovery-parts.ts';
import { memberOrKey, nextCursorField, ownerOrKey } from './view-parts.ts';

const path = '/app/v1/webhook-endpoints';
const common = { tag: 'Webhooks', answeredBy: 'webhook-dispatcher' } as const;
const endpointParams = z.strictObject({ endpoint_id: webhookEndpointId });
const deliveryParams = endpointParams.extend({ delivery_id: eventDeliveryId });
const overlapHours = limits.eventSecretOverlapMs / 3_600_000;

/** An endpoint with its new secret. */
const withSecret = webhookEndpoint
  .extend({ signing_secret: signingSecretShown })
  .meta({ id: 'WebhookEndpointWithSecret' });

/** Registers an endpoint. */
export const createWebhookEndpoint = defineOperation({
  ...common,
  id: 'create-webhook-endpoint',
  method: 'post',
  path,
  summary: 'Create a webhook endpoint',
  description: `Events of these types are posted to the URL, signed as Standard Webhooks defines. An account has at most ${limits.webhookEndpointsMax} endpoints. The response contains the signing secret, which is not shown again.`,
  access: ownerOrKey('account.write'),
  sandbox: true,
  body: newWebhookEndpoint,
  success: { status: 201, description: 'The endpoint.', schema: withSecret },
  repeatable: false,
  problems: ['destination_not_valid', 'too_many_webhook_endpoints'],
});

/** Lists the account’s endpoints. */
export const listWebhookEndpoints = defineOperation({
  ...common,
  id: 'list-webhook-endpoints',
  method: 'get',
  path,
  summary: 'List webhook endpoints',
  description: 'The endpoints of the account, newest first. Secrets are never shown.',
  access: memberOrKey('account.read'),
  sandbox: true,
  success: {
    status: 200,
    description: 'The endpoints.',
    schema: z
      .object({ endpoints: z.array(webhookEndpoint).max(limits.webhookEndpointsMax) })
      .meta({ id: 'WebhookEndpoints' }),
  },
  repeatable: true,
  problems: [],
});

/** Gets an endpoint. */
export const getWebhookEndpoint = defineOperation({
  ...common,
  id: 'get-webhook-endpoint',
  method: 'get',
  path: `${path}/:endpoint_id`,
  summary: 'Get a webhook endpoint',
  description: 'The endpoint and its state.',
  access: memberOrKey('account.read'),
  sandbox: true,
  params: endpointParams,
  success: { status: 200, description: 'The endpoint.', schema: webhookEndpoint },
  repeatable: true,
  problems: ['webhook_endpoint_not_found'],
});

/** Changes an endpoint. */
export const changeWebhookEndpoint = defineOperation({
  ...common,
  id: 'change-webhook-endpoint',
  method: 'put',
  path: `${path}/:endpoint_id`,
  summary: 'Change a webhook endpoint',
  description:
    'Changes the members that the request contains. The secret stays the same; waiting events go to the new URL.',
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: endpointParams,
  body: webhookEndpointChange,
  success: { status: 200, description: 'The endpoint.', schema: webhookEndpoint },
  repeatable: true,
  problems: ['webhook_endpoint_not_found', 'destination_not_valid'],
});

/** Deletes an endpoint. */
export const deleteWebhookEndpoint = defineOperation({
  ...common,
  id: 'delete-webhook-endpoint',
  method: 'delete',
  path: `${path}/:endpoint_id`,
  summary: 'Delete a webhook endpoint',
  description: 'Deletes the endpoint with its secret and its deliveries. Waiting events are not sent.',
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: endpointParams,
  success: {
    status: 200,
    description: 'The endpoint is deleted.',
    schema: z.object({ deleted: z.literal(true) }),
  },
  repeatable: true,
  problems: ['webhook_endpoint_not_found'],
});

/** Replaces the signing secret of an endpoint. */
export const rotateWebhookSecret = defineOperation({
  ...common,
  id: 'rotate-webhook-secret',
  method: 'post',
  path: `${path}/:endpoint_id/secret`,
  summary: 'Rotate the signing secret',
  description: `Returns a new secret, which is not shown again. For ${overlapHours} hours, events are signed with the previous secret too, so that the receiver can change it without missing any. If a secret has leaked, rotate twice: the second rotation drops it at once.`,
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: endpointParams,
  success: { status: 200, description: 'The endpoint with its new secret.', schema: withSecret },
  repeatable: false,
  problems: ['webhook_endpoint_not_found', 'destination_not_valid'],
});

/** Sends a test event. */
export const testWebhookEndpoint = defineOperation({
  ...common,
  id: 'test-webhook-endpoint',
  method: 'post',
  path: `${path}/:endpoint_id/test`,
  query: z.strictObject({
    event_type: eventType
      .default('webhook_endpoint.test')
      .describe('Type of the event. The endpoint gets it also if it does not subscribe to this type.'),
  }),
  summary: 'Send a test event',
  description: `Sends an event of this type to the endpoint, in the same way as other events. It is the example of its type in this document, with \`test\` true and the id of your account, at most ${limits.eventTestsPerHourMax} times an hour. Its delivery is in the list of deliveries.`,
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: endpointParams,
  success: {
    status: 202,
    description: 'The delivery, which continues in the background.',
    schema: eventDelivery,
  },
  repeatable: false,
  problems: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled', 'too_many_deliveries'],
});

/** Lists the deliveries to an endpoint. */
export const listEventDeliveries = defineOperation({
  ...common,
  id: 'list-event-deliveries',
  method: 'get',
  path: `${path}/:endpoint_id/deliveries`,
  summary: 'List deliveries',
  description: `The events for the endpoint with the outcome of the last attempt, newest first. They are kept for ${limits.eventDeliveryKeptDays} days.`,
  access: memberOrKey('account.read'),
  sandbox: true,
  params: endpointParams,
  query: z.strictObject({ ...pageOf, state: z.enum(eventDeliveryStates).optional() }),
  success: {
    status: 200,
    description: 'A page of deliveries.',
    schema: z
      .object({ deliveries: z.array(eventDelivery), next_cursor: nextCursorField })
      .meta({ id: 'EventDeliveries' }),
  },
  repeatable: true,
  problems: ['webhook_endpoint_not_found', 'invalid_cursor'],
});

/** Gets a delivery. */
export const getEventDelivery = defineOperation({
  ...common,
  id: 'get-event-delivery',
  method: 'get',
  path: `${path}/:endpoint_id/deliveries/:delivery_id`,
  summary: 'Get a delivery',
  description: 'What is sent, and every attempt.',
  access: memberOrKey('account.read'),
  sandbox: true,
  params: deliveryParams,
  success: { status: 200, description: 'The delivery.', schema: eventDeliveryDetail },
  repeatable: true,
  problems: ['event_delivery_not_found'],
});

/** Sends an event again. */
export const resendEventDelivery = defineOperation({
  ...common,
  id: 'resend-event-delivery',
  method: 'post',
  path: `${path}/:endpoint_id/deliveries/:delivery_id/resend`,
  summary: 'Resend an event',
  description:
    'Sends the event again now, in any state, with the same body and the same `webhook-id`. If the delivery had ended, it is retried for a day if necessary.',
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: deliveryParams,
  success: {
    status: 202,
    description: 'The delivery, which continues in the background.',
    schema: eventDelivery,
  },
  repeatable: true,
  problems: ['event_delivery_not_found', 'webhook_endpoint_disabled', 'too_many_deliveries'],
});
