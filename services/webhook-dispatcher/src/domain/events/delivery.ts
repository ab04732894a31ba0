import { type Advance, judgeFault, type NextJob, type Work, type WorkStore } from '@mailproof/durable-work';
import type {
  AccountId,
  EventDeliveryId,
  EventDeliveryState,
  EventFault,
  EventId,
  EventType,
  WebhookEndpointId,
} from '@mailproof/shared-types';
import { type Answer, judgeAnswer } from '../push/answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { StoredEvent } from './take-events.ts';

/** The delivery of one event to one endpoint. */
export interface Delivery extends Work {
  readonly deliveryNo: string;
  readonly deliveryId: EventDeliveryId;
  readonly endpointNo: string;
  readonly eventId: EventId;
  readonly type: EventType;
  readonly body: string;
  readonly state: EventDeliveryState;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly fault: EventFault | null;
  readonly nextAttemptAt: Date | null;
  /** An attempt that fails from then on is the last one. Null before the first. */
  readonly retriedUntil: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export type DeliveryChange = Partial<
  Pick<
    Delivery,
    | 'state'
    | 'attempts'
    | 'statusCode'
    | 'fault'
    | 'nextAttemptAt'
    | 'retriedUntil'
    | 'movedAt'
    | 'endedAt'
    | 'failedAttempts'
  >
>;

/** An attempt, as the log shows it. */
export interface Attempt {
  readonly attemptNo: number;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly fault: EventFault | null;
}

/** What an attempt means for its endpoint. */
export interface EndpointVerdict {
  readonly failingSince: Date | null;
  readonly disabledReason: 'failing' | 'gone' | null;
}

export interface DeliveryStore
  extends Pick<WorkStore<EventDeliveryId, Delivery, DeliveryChange, never>, 'find' | 'change'> {
  /** The endpoint of a delivery, with its destination. */
  findEndpoint(endpointNo: string): Promise<Endpoint | undefined>;
  /**
   * Stores an attempt with the delivery's change, the consequence for the endpoint, and the next job. Undefined, without
   * any effect, if the delivery has changed since it was read.
   */
  recordAttempt(
    delivery: Delivery,
    attempt: Attempt,
    change: DeliveryChange,
    verdictOf: (failingSince: Date | null) => EndpointVerdict,
    nextJob?: NextJob,
  ): Promise<Delivery | undefined>;
}

/** A page of the deliveries to an endpoint. */
export interface DeliveryPage {
  readonly state?: EventDeliveryState | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** What is stored for each event, and read for the log. */
export interface DeliveryLog {
  /** Stores a delivery to each endpoint of the account that wants the event; does nothing the second time. */
  store(event: StoredEvent, now: Date): Promise<void>;
  /** Stores a delivery to one endpoint. */
  add(endpoint: Endpoint, event: StoredEvent, deliveryId: EventDeliveryId, now: Date): Promise<Delivery>;
  /** How many deliveries wait for an endpoint, and how many test events it got in the last hour, up to the limits. */
  countFor(endpoint: Endpoint, now: Date): Promise<{ readonly waiting: number; readonly tests: number }>;
  /** Newest first. Throws `invalid_cursor`. */
  list(
    endpoint: Endpoint,
    page: DeliveryPage,
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly nextCursor: string | undefined }>;
  findIn(endpoint: Endpoint, deliveryId: EventDeliveryId): Promise<Delivery | undefined>;
  /** The latest attempts, oldest first. */
  listAttempts(deliveryNo: string): Promise<Attempt[]>;
  /** Deletes deliveries that ended before a time; returns how many. */
  deleteEnded(endedBefore: Date): Promise<number>;
}

export interface DeliveryEvents {
  eventDelivered(delivery: Delivery, attempt: Attempt): void;
  eventNotDelivered(delivery: Delivery, attempt: Attempt): void;
  endpointDisabled(endpointId: WebhookEndpointId, accountId: AccountId, reason: 'failing' | 'gone'): void;
}

export interface DeliveryPorts {
  readonly deliveries: DeliveryStore;
  /** Sends a body once; never rejects because of an endpoint's behavior. */
  readonly send: (
    endpoint: Endpoint,
    event: { readonly webhookId: string; readonly body: string },
  ) => Promise<Answer>;
  readonly events: DeliveryEvents;
  readonly now: () => Date;
  readonly random: () => number;
  /** How long an event is retried, and how long an endpoint may fail before it is disabled, in milliseconds. */
  readonly retryMs: number;
}

const minuteMs = 60_000;

/** The waits after the first attempts, in milliseconds; further ones are like the last. */
const delaysMs = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  60 * minuteMs,
  120 * minuteMs,
  240 * minuteMs,
];

/**
 * When the next attempt is due after this many: exponential backoff with a random factor, at least as long as the
 * endpoint asked for. The last attempt is when the retries end.
 */
export function nextAttemptAt(
  attempts: number,
  {
    now,
    retriedUntil,
    askedMs = 0,
    random,
  }: {
    readonly now: Date;
    readonly retriedUntil: Date;
    readonly askedMs?: number | undefined;
    readonly random: () => number;
  },
): Date {
  const delayMs = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  const waitMs = Math.max(askedMs, Math.round(delayMs * (0.8 + random() * 0.4)));
  return new Date(Math.min(now.getTime() + waitMs, retriedUntil.getTime()));
}

/** The status with which an endpoint says that it will never accept events again (Standard Webhooks). */
const goneStatus = 410;

/**
 * Attempts a delivery if it is due. The attempt is recorded when it has been answered: if the process is killed before,
 * the event is sent again, under the same id.
 */
export async function attemptDelivery(ports: DeliveryPorts, deliveryId: EventDeliveryId): Promise<Advance> {
  const { deliveries, send, events } = ports;
  const delivery = await deliveries.find(deliveryId);
  if (delivery?.state !== 'pending') {
    return 'ended';
  }
  const startedAt = ports.now();
  const waitMs = (delivery.nextAttemptAt?.getTime() ?? 0) - startedAt.getTime();
  if (waitMs > 0) {
    await deliveries.change(delivery, { movedAt: startedAt }, { waitMs });
    return 'waits';
  }
  const endpoint = await deliveries.findEndpoint(delivery.endpointNo);
  if (!endpoint) {
    return 'ended';
  }
  if (endpoint.disabledAt !== null) {
    const end = { state: 'cancelled', fault: 'disabled', nextAttemptAt: null, endedAt: startedAt } as const;
    return (await deliveries.change(delivery, end)) ? 'ended' : 'more';
  }
  const judgment = endpoint.destination
    ? judge(await send(endpoint, { webhookId: delivery.eventId, body: delivery.body }), ports.now())
    : { statusCode: null, fault: 'not_readable' as const, askedMs: undefined };
  const now = ports.now();
  const { statusCode, fault, askedMs } = judgment;
  const attempt: Attempt = {
    attemptNo: delivery.attempts + 1,
    attemptedAt: startedAt,
    durationMs: Math.max(0, now.getTime() - startedAt.getTime()),
    statusCode,
    fault,
  };
  const retriedUntil = delivery.retriedUntil ?? new Date(startedAt.getTime() + ports.retryMs);
  const isLast = fault === null || statusCode === goneStatus || startedAt >= retriedUntil;
  const next = isLast
    ? null
    : nextAttemptAt(attempt.attemptNo, { now, retriedUntil, askedMs, random: ports.random });
  let disabledReason: EndpointVerdict['disabledReason'] = null;
  const recorded = await deliveries.recordAttempt(
    delivery,
    attempt,
    {
      attempts: attempt.attemptNo,
      statusCode,
      fault,
      nextAttemptAt: next,
      retriedUntil,
      movedAt: now,
      failedAttempts: 0,
      ...(isLast && { state: fault === null ? 'delivered' : 'failed', endedAt: now }),
    },
    failingSince => {
      if (fault === null) {
        return { failingSince: null, disabledReason: null };
      }
      // The operator's fault, not the receiver's.
      if (fault === 'not_readable') {
        return { failingSince, disabledReason: null };
      }
      const since = failingSince ?? startedAt;
      const isOver = startedAt.getTime() - since.getTime() >= ports.retryMs;
      disabledReason = statusCode === goneStatus ? 'gone' : isOver ? 'failing' : null;
      return { failingSince: since, disabledReason };
    },
    next ? { waitMs: Math.max(0, next.getTime() - now.getTime()) } : undefined,
  );
  if (!recorded) {
    // Another worker has attempted it meanwhile, or it was sent again: its next job continues.
    return 'waits';
  }
  (fault === null ? events.eventDelivered : events.eventNotDelivered)(recorded, attempt);
  if (disabledReason !== null) {
    events.endpointDisabled(endpoint.endpointId, endpoint.accountId, disabledReason);
  }
  return isLast ? 'ended' : 'waits';
}

/** The least and the most that a delivery waits for others of its account, in milliseconds. */
const putBackMs = { least: 5_000, most: 30_000 };

/** Lets a delivery wait in the outbox, because its account has enough others in this process. */
export async function putBack(
  { deliveries, now, random }: Pick<DeliveryPorts, 'deliveries' | 'now' | 'random'>,
  delivery: Delivery,
): Promise<void> {
  if (delivery.state === 'pending') {
    const { least, most } = putBackMs;
    await deliveries.change(delivery, { movedAt: now() }, { waitMs: least + random() * (most - least) });
  }
}

/** Notes an attempt that failed because of us. Too many of them end the delivery. */
export async function noteDeliveryFault(
  { deliveries, now }: Pick<DeliveryPorts, 'deliveries' | 'now'>,
  deliveryId: EventDeliveryId,
  isUnavailable: boolean,
): Promise<void> {
  const delivery = await deliveries.find(deliveryId);
  if (delivery?.state !== 'pending') {
    return;
  }
  const judged = judgeFault(delivery, isUnavailable, now());
  if (judged === 'count') {
    await deliveries.change(delivery, { failedAttempts: delivery.failedAttempts + 1 });
  } else if (judged !== 'retry') {
    const end = { state: 'failed', fault: 'not_sent', nextAttemptAt: null, endedAt: now() } as const;
    await deliveries.change(delivery, end);
  }
}

interface Judged {
  readonly statusCode: number | null;
  /** Null if the endpoint accepted the event. */
  readonly fault: EventFault | null;
  /** How long the endpoint asks us to wait, in milliseconds. */
  readonly askedMs: number | undefined;
}

/** Judges an answer as a row's (ADR 0037), with other consequences: every failure is attempted again. */
function judge(answer: Answer, now: Date): Judged {
  const judgment = judgeAnswer(answer, { preset: 'none', now });
  switch (judgment.kind) {
    case 'delivered':
      return { statusCode: judgment.statusCode, fault: null, askedMs: undefined };
    case 'throttled':
      return { statusCode: judgment.statusCode, fault: 'receiver_failed', askedMs: judgment.waitMs };
    default:
      return { statusCode: judgment.statusCode, fault: faultOf(judgment.fault), askedMs: undefined };
  }
}

function faultOf(fault: Extract<ReturnType<typeof judgeAnswer>, { fault: unknown }>['fault']): EventFault {
  return fault === 'unexpected_answer' || fault === 'too_large' ? 'rejected' : fault;
}
