import { z } from 'zod';
import { webhookDestination } from '../exports/webhook-destination.ts';
import { creatorId, eventDeliveryId, eventId, webhookEndpointId } from '../ids.ts';
import { limits } from '../limits.ts';
import { oneLineText } from '../operations/app/discovery-parts.ts';
import { withCommas } from '../with-commas.ts';
import { eventType, subscribedEventTypes } from './event.ts';

const retryHours = limits.eventRetryMs / 3_600_000;

/** Why an endpoint is disabled. */
export const endpointDisabledReasons = {
  asked: 'It was disabled by a user or program.',
  failing: `It has accepted nothing for ${retryHours} hours.`,
  gone: 'It answered 410 (Gone).',
} as const;

export type EndpointDisabledReason = keyof typeof endpointDisabledReasons;

/** Why an attempt to deliver an event failed. The texts contain no part of the endpoint’s URL. */
export const eventFaults = {
  unreachable: 'The endpoint could not be reached, or closed the connection without a response.',
  too_late: 'The endpoint did not respond in time.',
  receiver_failed: 'The endpoint responded that it cannot accept the event right now.',
  rejected: 'The endpoint rejected the event.',
  refused: 'The endpoint responded that it does not exist, or that the request is not authorized.',
  redirected: 'The endpoint redirected the request. Redirects are not followed; enter the final URL instead.',
  not_allowed: 'The endpoint’s address is not allowed.',
  not_readable: 'The endpoint’s URL can no longer be decrypted. Enter it again.',
  not_sent: 'The event could not be sent because of an internal error. Resend it.',
  disabled: 'The endpoint was disabled before the event was delivered.',
  too_many_waiting: `More than ${withCommas(limits.eventDeliveriesWaitingMax)} events were already waiting for the endpoint.`,
} as const;

export type EventFault = keyof typeof eventFaults;

export const eventDeliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export type EventDeliveryState = (typeof eventDeliveryStates)[number];

const url = webhookDestination.shape.url.describe(
  'URL that each event is posted to. `https`; `http` only to private addresses that the operator allows. The port must be 80, 443 or above 1023.',
);
const eventTypes = z
  .array(z.enum(subscribedEventTypes))
  .min(1)
  .max(subscribedEventTypes.length)
  .refine(types => new Set(types).size === types.length, 'must not name a type twice')
  .describe('Events that are sent to the endpoint.');
const description = oneLineText(limits.webhookDescriptionCharactersMax);

export const newWebhookEndpoint = z
  .strictObject({ url, event_types: eventTypes, description: description.optional() })
  .meta({ id: 'NewWebhookEndpoint' });

export const webhookEndpointChange = z
  .strictObject({
    url: url.optional(),
    event_types: eventTypes.optional(),
    description: description.nullable().optional(),
    enabled: z
      .boolean()
      .optional()
      .describe('Events that happen while the endpoint is disabled are not sent to it, not even later.'),
  })
  .meta({ id: 'WebhookEndpointChange' });

/** A URL that an account’s events are sent to. */
export const webhookEndpoint = z
  .object({
    endpoint_id: webhookEndpointId,
    url: z.string().nullable().describe('Null if it can no longer be decrypted; then enter it again.'),
    description: z.string().nullable(),
    event_types: z.array(z.enum(subscribedEventTypes)),
    enabled: z.boolean(),
    disabled: z
      .object({
        reason: z.enum(
          Object.keys(endpointDisabledReasons) as [EndpointDisabledReason, ...EndpointDisabledReason[]],
        ),
        detail: z.string(),
        at: z.iso.datetime(),
      })
      .nullable()
      .describe('Null unless the endpoint is disabled.'),
    failing_since: z.iso
      .datetime()
      .nullable()
      .describe('First failed attempt since the last success. Null if the last attempt succeeded.'),
    previous_secret_valid_until: z.iso
      .datetime()
      .nullable()
      .describe('Until then, events are signed with the previous secret too. Null unless it was rotated.'),
    created_by: creatorId,
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' });

export type WebhookEndpointRecord = z.output<typeof webhookEndpoint>;

/** The signing secret, in answers that show it: only those that create it. */
export const signingSecretShown = z
  .string()
  .describe('`whsec_` and base64 (Standard Webhooks). It is shown only now.');

const fault = z
  .object({
    reason: z.enum(Object.keys(eventFaults) as [EventFault, ...EventFault[]]),
    detail: z.string(),
  })
  .nullable();

/** An attempt to deliver an event. */
export const eventAttempt = z
  .object({
    attempt: z.int().positive().describe('Counted from 1.'),
    at: z.iso.datetime(),
    status_code: z.int().nullable().describe('Null if there was no response.'),
    duration_ms: z.int().nonnegative(),
    fault: fault.describe('Null if the endpoint accepted the event.'),
  })
  .meta({ id: 'EventAttempt' });

/** The delivery of one event to one endpoint. */
export const eventDelivery = z
  .object({
    delivery_id: eventDeliveryId,
    event_id: eventId.describe('Sent as `webhook-id`, the same in all attempts.'),
    type: eventType,
    test: z.boolean().describe('Whether it is a test event, which tells nothing that happened.'),
    state: z
      .enum(eventDeliveryStates)
      .describe('`pending` until the endpoint has accepted the event; the other states are final.'),
    attempts: z.int().nonnegative(),
    status_code: z.int().nullable().describe('Status code of the last attempt.'),
    fault: fault.describe('Why the last attempt failed, or why there was none.'),
    next_attempt_at: z.iso.datetime().nullable().describe('Null unless the delivery is pending.'),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'EventDelivery' });

export type EventDeliveryRecord = z.output<typeof eventDelivery>;

/** A delivery with what was sent and its attempts. */
export const eventDeliveryDetail = eventDelivery
  .extend({
    payload: z.string().describe('The body, as sent.'),
    attempt_log: z.array(eventAttempt).describe('The latest attempts, oldest first.'),
  })
  .meta({ id: 'EventDeliveryDetail' });
