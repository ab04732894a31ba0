import {
  inTransaction,
  onlyRow,
  openIfPossible,
  type RowOf,
  resealColumn,
  type Sealer,
} from '@mailproof/service-kit';
import type {
  AccountId,
  CreatorId,
  EndpointDisabledReason,
  SubscribedEventType,
  WebhookEndpointId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Endpoint, EndpointStore, EventDestination } from '../../domain/events/endpoint.ts';
import { sql } from './events.sql.ts';

/** The type with which destinations of events are sealed. */
export const sealedEventDestinationType = 'mailproof-webhook-endpoint';

/** The sealed content. */
const sealedForm = z.object({
  url: z.string(),
  signingSecret: z.string(),
  previousSecret: z.string().nullable(),
});

export type EndpointRow = RowOf<typeof sql.find_endpoint>;

/** The most deliveries that one statement deletes, so that its locks are short. */
const deletedMax = 5_000;

export function createEndpointStore(pool: Pool, sealer: Sealer): EndpointStore {
  const endpointOf = (row: EndpointRow) => openEndpoint(sealer, row);
  return {
    create: (endpoint, endpointsMax) =>
      inTransaction(pool, async client => {
        const ofAccount = { account_id: endpoint.accountId };
        await sql.lock_endpoints(client, ofAccount);
        if ((await onlyRow(sql.count_endpoints(client, ofAccount))).endpoints >= endpointsMax) {
          return undefined;
        }
        const added = sql.add_endpoint(client, {
          ...ofAccount,
          endpoint_id: endpoint.endpointId,
          created_by: endpoint.createdBy,
          description: endpoint.description,
          event_types: endpoint.eventTypes,
          sealed_destination: await sealed(sealer, endpoint.endpointId, endpoint.destination),
          created_at: endpoint.createdAt,
        });
        return endpointOf(await onlyRow(added));
      }),
    async list(accountId) {
      const { rows } = await sql.list_endpoints(pool, { account_id: accountId });
      return Promise.all(rows.map(endpointOf));
    },
    async findOf(accountId, endpointId) {
      const wanted = { account_id: accountId, endpoint_id: endpointId };
      const { rows } = await sql.find_endpoint(pool, wanted);
      return rows[0] && endpointOf(rows[0]);
    },
    change: (accountId, endpointId, changeOf) =>
      inTransaction(pool, async client => {
        const wanted = { account_id: accountId, endpoint_id: endpointId };
        const { rows } = await sql.lock_endpoint(client, wanted);
        const [row] = rows;
        if (!row) {
          return undefined;
        }
        const before = await endpointOf(row);
        const change = changeOf(before);
        const after = { ...before, ...change };
        const changed = sql.change_endpoint(client, {
          endpoint_no: Number(row.endpoint_no),
          description: after.description,
          event_types: after.eventTypes,
          sealed_destination: change.destination
            ? await sealed(sealer, endpointId, change.destination)
            : row.sealed_destination,
          previous_secret_until: after.previousSecretUntil,
          failing_since: after.failingSince,
          disabled_at: after.disabledAt,
          disabled_reason: after.disabledReason,
        });
        return endpointOf(await onlyRow(changed));
      }),
    async delete(accountId, endpointId) {
      const which = { account_id: accountId, endpoint_id: endpointId };
      const some = { ...which, rows_max: deletedMax };
      while ((await sql.delete_deliveries_of_endpoint(pool, some)).rowCount === deletedMax) {
        // Each round deletes a portion.
      }
      return (await sql.delete_endpoint(pool, which)).rowCount === 1;
    },
    async deleteOfAccount(accountId) {
      const some = { account_id: accountId, rows_max: deletedMax };
      const { rowCount: deliveries } = await sql.delete_deliveries_of_account(pool, some);
      if (deliveries === deletedMax) {
        return deletedMax;
      }
      const { rowCount } = await sql.delete_endpoints_of_account(pool, { account_id: accountId });
      const { rowCount: waiting } = await sql.delete_events_of_account(pool, { account_id: accountId });
      return (deliveries ?? 0) + (rowCount ?? 0) + (waiting ?? 0);
    },
  };
}

function sealed(
  sealer: Sealer,
  endpointId: WebhookEndpointId,
  destination: EventDestination,
): Promise<string> {
  return sealer.seal(JSON.stringify(destination), endpointId);
}

export async function openEndpoint(sealer: Sealer, row: EndpointRow): Promise<Endpoint> {
  return {
    endpointNo: row.endpoint_no,
    endpointId: row.endpoint_id as WebhookEndpointId,
    accountId: row.account_id as AccountId,
    createdBy: row.created_by as CreatorId,
    description: row.description,
    eventTypes: row.event_types as SubscribedEventType[],
    destination: await opened(sealer, row),
    previousSecretUntil: row.previous_secret_until,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason as EndpointDisabledReason | null,
    createdAt: row.created_at,
  };
}

/** Undefined if it cannot be opened, because its key is not in the ring or it was modified. */
async function opened(
  sealer: Sealer,
  { sealed_destination, endpoint_id }: EndpointRow,
): Promise<EventDestination | undefined> {
  const text = await openIfPossible(sealer, sealed_destination, endpoint_id);
  return text === undefined ? undefined : sealedForm.parse(JSON.parse(text));
}

/** Reseals the destinations of events with the ring's first key. Returns how many needed it. */
export function resealEndpoints(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'webhook_endpoint',
    subject: 'endpoint_id',
    column: 'sealed_destination',
  });
}
