import { setTimeout as wait } from 'node:timers/promises';
import {
  type EventData,
  type EventId,
  type EventType,
  eventWaitMsMax,
  limits,
  newId,
  type RecordedEvent,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { withoutStoreSpans } from '../telemetry/quiet.ts';
import type { AccountTable } from './account-tables.ts';
import { onWritten, tellWritten } from './transaction.ts';

/**
 * Interval at which a waiting request looks for events that other processes or the database recorded, in milliseconds.
 * Those of the same process wake it.
 */
const lookEveryMs = 1_000;

/** The table of recorded events, which each service has that tells events. */
export const recordedEventTable: AccountTable = {
  table: 'event',
  ofAccount: 'account_id = $1',
  key: ['event_no'],
  exported: ['event_no', 'event_id', 'account_id', 'type', 'data', 'happened_at'],
  withheld: {},
  whenDeleted: 'deleted',
};

/**
 * Records an event in the transaction of the change that it tells, so that there is exactly one for each change. The
 * webhook dispatcher takes it over (ADR 0070).
 */
export async function recordEvent<Type extends EventType>(
  client: PoolClient,
  type: Type,
  data: EventData<Type>,
): Promise<void> {
  await client.query('INSERT INTO event (event_id, account_id, type, data) VALUES ($1, $2, $3, $4)', [
    newId('event'),
    data.account_id,
    type,
    JSON.stringify(data),
  ]);
  tellWritten(client, 'event');
}

/**
 * Creates the handler with which the webhook dispatcher takes over a service's events: it deletes those that the
 * dispatcher has stored, and waits for others until there are some, the service stops, or `waitMs` milliseconds have
 * passed.
 */
export function takeEventsHandler(pool: Pool, stopping: AbortSignal, waitMs: number = eventWaitMsMax) {
  return (
    {
      body: { stored, types },
    }: { readonly body: { readonly stored: readonly EventId[]; readonly types: readonly string[] } },
    context: { readonly signal: AbortSignal },
  ): Promise<{ events: RecordedEvent[] }> =>
    // A request that waits sends dozens of statements.
    withoutStoreSpans(async () => {
      const signal = AbortSignal.any([context.signal, stopping]);
      if (stored.length > 0) {
        await pool.query('DELETE FROM event WHERE event_id = ANY($1)', [stored]);
      }
      const endsAtMs = performance.now() + waitMs;
      for (;;) {
        const woken = new AbortController();
        // It listens before it looks, so that no event is recorded unseen between the two.
        const stopListening = onWritten(pool, 'event', () => woken.abort());
        try {
          const events = await oldestEvents(pool, types);
          const leftMs = endsAtMs - performance.now();
          if (events.length > 0 || leftMs <= 0 || signal.aborted) {
            return { events };
          }
          const waking = AbortSignal.any([signal, woken.signal]);
          await wait(Math.min(leftMs, lookEveryMs), undefined, { signal: waking }).catch(() => undefined);
        } finally {
          stopListening();
        }
      }
    });
}

async function oldestEvents(pool: Pool, types: readonly string[]): Promise<RecordedEvent[]> {
  const { rows } = await pool.query<Omit<RecordedEvent, 'happened_at'> & { readonly happened_at: Date }>(
    `SELECT event_id, account_id, type, happened_at, data FROM event WHERE type = ANY($1) ORDER BY event_no
     LIMIT ${limits.eventsPerTakeMax}`,
    [types],
  );
  return rows.map(row => ({ ...row, happened_at: row.happened_at.toISOString() }));
}

/** A service that records events. */
export interface EventSource {
  readonly service: string;
  /** Deletes events that the caller has stored, and returns others; waits for some if there are none. */
  take(stored: readonly EventId[], signal: AbortSignal): Promise<readonly RecordedEvent[]>;
}

/** Takes events over until `signal` aborts. They are deleted at their source only after `store` has stored them. */
export async function takeEvents(
  { take }: EventSource,
  store: (event: RecordedEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let stored: EventId[] = [];
  while (!signal.aborted) {
    const page = await take(stored, signal);
    for (const event of page) {
      await store(event);
    }
    stored = page.map(each => each.event_id);
  }
}
