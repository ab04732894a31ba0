import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { recordedEvent } from '../../events/event.ts';
import { eventId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import type { ServiceName } from '../../service-name.ts';

/** How long a service waits for an event before it answers that there is none, in milliseconds. */
export const eventWaitMsMax = 15_000;

/** The operation with which a service takes over the events that another one has recorded (ADR 0070). */
function takingEvents<By extends ServiceName>(
  of: string,
  answeredBy: By,
  caller: ServiceName = 'webhook-dispatcher',
) {
  return defineOperation({
    id: `take-${of}-events`,
    method: 'post',
    path: '/internal/v1/events',
    summary: 'Take events',
    description: `Deletes the events that the caller has stored, and returns the oldest others of the types that it knows, at most ${limits.eventsPerTakeMax}. If there are none, the answer waits for one, at most ${eventWaitMsMax / 1_000} seconds. Idempotent.`,
    answeredBy,
    access: { kind: 'service', callers: [caller] },
    body: z.strictObject({
      stored: z.array(eventId).max(limits.eventsPerTakeMax),
      types: z
        .array(z.string().max(100))
        .max(100)
        .describe('The types that the caller knows. Others wait for a newer caller.'),
    }),
    success: {
      status: 200,
      description: 'Events, oldest first.',
      schema: z.object({ events: z.array(recordedEvent).max(limits.eventsPerTakeMax) }),
    },
    repeatable: true,
    problems: ['invalid_request'],
  });
}

export const takeValidationEvents = takingEvents('validation', 'validation-engine');
export const takeProfilesEvents = takingEvents('profiles', 'enrichment');
export const takeCreditsEvents = takingEvents('credits', 'credit-ledger');
/** The dispatcher keeps every event that it takes over for the gateway, which tells the users of the account (ADR 0086). */
export const takeAllEvents = takingEvents('all', 'webhook-dispatcher', 'gateway');
