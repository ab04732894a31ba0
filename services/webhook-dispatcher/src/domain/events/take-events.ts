import {
  type EventId,
  type EventType,
  eventData,
  eventSchema,
  type RecordedEvent,
} from '@mailproof/shared-types';

/** A service that records events. */
export interface EventSource {
  readonly service: string;
  /** Deletes events that are stored here, and returns others; waits for some if there are none. */
  take(stored: readonly EventId[], signal: AbortSignal): Promise<readonly RecordedEvent[]>;
}

export interface TakePorts {
  /** Stores a delivery to each endpoint of the account that wants the event; does nothing the second time. */
  readonly store: (event: StoredEvent) => Promise<void>;
  readonly events: {
    /** An event is of a type, or has a form, that this release does not know. */
    eventNotKnown(eventId: EventId, type: string): void;
  };
}

/** An event in the form in which it is sent. */
export interface StoredEvent {
  readonly eventId: EventId;
  readonly accountId: RecordedEvent['account_id'];
  readonly type: EventType;
  readonly body: string;
}

/** Takes events over until none is left. They are deleted at their source only after they are stored here. */
export async function takeEvents(
  { store, events }: TakePorts,
  { take }: EventSource,
  signal: AbortSignal,
): Promise<void> {
  let stored: EventId[] = [];
  while (!signal.aborted) {
    const page = await take(stored, signal);
    for (const recorded of page) {
      const event = storedEventOf(recorded);
      if (event) {
        await store(event);
      } else {
        events.eventNotKnown(recorded.event_id, recorded.type);
      }
    }
    stored = page.map(each => each.event_id);
  }
}

function storedEventOf(recorded: RecordedEvent): StoredEvent | undefined {
  if (!(recorded.type in eventData)) {
    return;
  }
  const type = recorded.type as EventType;
  const { event_id: eventId, account_id: accountId, happened_at: timestamp, data } = recorded;
  // Only what the contract names leaves.
  const parsed = eventSchema(type).safeParse({ type, timestamp, data });
  return parsed.success ? { eventId, accountId, type, body: JSON.stringify(parsed.data) } : undefined;
}
