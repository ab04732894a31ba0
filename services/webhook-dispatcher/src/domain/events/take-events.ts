import {
  type AccountId,
  type EventData,
  type EventId,
  type EventType,
  eventData,
  eventSchema,
  newId,
  type RecordedEvent,
} from '@mailproof/shared-types';

export interface StorePorts {
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

/** Stores an event that was taken over. */
export async function storeEvent({ store, events }: StorePorts, recorded: RecordedEvent): Promise<void> {
  const event = storedEventOf(recorded);
  if (event) {
    await store(event);
  } else {
    events.eventNotKnown(recorded.event_id, recorded.type);
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

/** An event that happens in this service. */
export function newEvent<Type extends EventType>(
  type: Type,
  data: EventData<Type>,
  happenedAt: Date,
): StoredEvent {
  const body = eventSchema(type).parse({ type, timestamp: happenedAt.toISOString(), data });
  const accountId = data.account_id as AccountId;
  return { eventId: newId('event'), accountId, type, body: JSON.stringify(body) };
}
