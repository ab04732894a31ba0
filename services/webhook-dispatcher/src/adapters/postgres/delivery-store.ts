import { createWorkTable, recordOf } from '@mailproof/durable-work/postgres';
import {
  inTransaction,
  onlyRow,
  readCursor,
  type Sealer,
  tellWritten,
  traceParent,
  writeCursor,
} from '@mailproof/service-kit';
import { deliverEventJob, type EventDeliveryId, limits } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type {
  Attempt,
  Delivery,
  DeliveryChange,
  DeliveryLog,
  DeliveryStore,
} from '../../domain/events/delivery.ts';
import type { StoredEvent } from '../../domain/events/take-events.ts';
import { openEndpoint } from './endpoint-store.ts';
import { sql } from './events.sql.ts';

/** The most deliveries or events that one statement deletes, so that its locks are short. */
const deletedMax = 5_000;

const hourMs = 3_600_000;

/** The position at which a page ended. */
const rowNumber = z.string().regex(/^\d{1,18}$/);

function createDeliveryTable(pool: Pool) {
  return createWorkTable<EventDeliveryId, Delivery, DeliveryChange>(pool, {
    table: 'event_delivery',
    name: 'delivery',
    jobType: deliverEventJob,
    idOf: ({ deliveryId }) => deliveryId,
    isActive: "w.state = 'pending'",
    // A waiting delivery always has a job in the outbox.
    needsJob: "w.state = 'pending' AND w.next_attempt_at < $2",
  });
}

/**
 * Stores a delivery to each endpoint that wants an event, with its job, and the event itself for the gateway, in the
 * transaction of a change.
 */
export function createEventRecorder(pool: Pool) {
  const deliveries = createDeliveryTable(pool);
  return async (client: PoolClient, event: StoredEvent, now: Date): Promise<void> => {
    await sql.keep_event(client, {
      event_id: event.eventId,
      account_id: event.accountId,
      type: event.type,
      body: event.body,
    });
    tellWritten(client, 'event');
    const { rows } = await sql.fan_out(client, {
      event_id: event.eventId,
      account_id: event.accountId,
      type: event.type,
      body: event.body,
      now,
      waiting_max: limits.eventDeliveriesWaitingMax,
      trace_parent: traceParent(),
    });
    for (const { delivery_id, state } of rows) {
      if (state === 'pending') {
        await deliveries.enqueue(delivery_id as EventDeliveryId, { waitMs: 0 }, client);
      }
    }
  };
}

export function createDeliveryStore(
  pool: Pool,
  sealer: Sealer,
): DeliveryStore & DeliveryLog & Pick<ReturnType<typeof createDeliveryTable>, 'sweep'> {
  const deliveries = createDeliveryTable(pool);
  const record = createEventRecorder(pool);
  return {
    ...deliveries,
    store: (event, now) => inTransaction(pool, client => record(client, event, now)),
    async findEndpoint(endpointNo) {
      const { rows } = await sql.find_endpoint_of_delivery(pool, { endpoint_no: Number(endpointNo) });
      return rows[0] && openEndpoint(sealer, rows[0]);
    },
    recordAttempt: (delivery, attempt, change, verdictOf, nextJob) =>
      deliveries.changeWith(
        delivery,
        async client => {
          await sql.add_attempt(client, {
            delivery_no: Number(delivery.deliveryNo),
            attempt_no: attempt.attemptNo,
            attempted_at: attempt.attemptedAt,
            duration_ms: attempt.durationMs,
            status_code: attempt.statusCode,
            fault: attempt.fault,
            rows_max: limits.eventAttemptsShownMax,
          });
          const endpoint = { endpoint_no: Number(delivery.endpointNo) };
          const { failing_since: before } = await onlyRow(sql.lock_failing(client, endpoint));
          const { failingSince, disabledReason } = verdictOf(before);
          if (failingSince?.getTime() !== before?.getTime() || disabledReason !== null) {
            await sql.note_failing(client, {
              ...endpoint,
              failing_since: failingSince,
              disabled_reason: disabledReason,
              now: change.movedAt ?? attempt.attemptedAt,
            });
          }
          return change;
        },
        nextJob,
      ),
    add: ({ endpointNo, accountId }, event, deliveryId, now) =>
      inTransaction(pool, async client => {
        const added = sql.add_delivery(client, {
          delivery_id: deliveryId,
          endpoint_no: Number(endpointNo),
          account_id: accountId,
          event_id: event.eventId,
          type: event.type,
          body: event.body,
          now,
          trace_parent: traceParent(),
        });
        const row = await onlyRow(added);
        await deliveries.enqueue(deliveryId, { waitMs: 0 }, client);
        return recordOf<Delivery>(row);
      }),
    countFor: ({ endpointNo }, now) =>
      onlyRow(
        sql.count_deliveries(pool, {
          endpoint_no: Number(endpointNo),
          hour_ago: new Date(now.getTime() - hourMs),
          waiting_max: limits.eventDeliveriesWaitingMax,
          tests_max: limits.eventTestsPerHourMax,
        }),
      ),
    async list({ endpointNo }, { state, cursor, limit }) {
      const { rows } = await sql.list_deliveries(pool, {
        endpoint_no: Number(endpointNo),
        state,
        before: cursor === undefined ? null : readCursor(rowNumber, cursor),
        rows_max: limit + 1,
      });
      const shown = rows.slice(0, limit).map(row => recordOf<Delivery>(row));
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { deliveries: shown, nextCursor: last && writeCursor(last.deliveryNo) };
    },
    async findIn({ accountId, endpointNo }, deliveryId) {
      const delivery = await deliveries.findOf(accountId, deliveryId);
      return delivery?.endpointNo === endpointNo ? delivery : undefined;
    },
    async listAttempts(deliveryNo) {
      const { rows } = await sql.list_attempts(pool, {
        delivery_no: Number(deliveryNo),
        rows_max: limits.eventAttemptsShownMax,
      });
      return rows.map(row => recordOf<Attempt>(row)).toReversed();
    },
    async deleteEnded(endedBefore) {
      const old = { happened_before: endedBefore, rows_max: deletedMax };
      while ((await sql.delete_old_events(pool, old)).rowCount === deletedMax) {
        // Each round deletes a portion.
      }
      for (let deleted = 0; ; ) {
        const some = { ended_before: endedBefore, rows_max: deletedMax };
        const { rowCount } = await sql.delete_old_deliveries(pool, some);
        deleted += rowCount ?? 0;
        if (rowCount !== deletedMax) {
          return deleted;
        }
      }
    },
  };
}
