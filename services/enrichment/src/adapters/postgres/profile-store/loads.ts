import { onlyRow, type RowOf } from '@mailproof/service-kit';
import type { PoolClient } from 'pg';
import type { LoadOrder } from '../../../domain/profile-store/merge.ts';
import type { SourceLoad } from '../../../domain/profile-store/profile-store.ts';
import { sql } from '../profiles.sql.ts';

/** Finds or creates the load. The caller holds the store's lock, so it is created only once. */
export async function keepLoad(client: PoolClient, load: SourceLoad): Promise<LoadOrder> {
  const values = {
    kind: load.kind,
    name: load.name,
    licence: load.licence,
    retrieved_on: load.retrievedOn,
    fingerprint: load.fingerprint,
  };
  const { rows } = await sql.find_load(client, values);
  return orderOf(rows[0] ?? (await onlyRow(sql.insert_load(client, values))));
}

/** Returns the precedence of the loads that records of a batch come from. */
export async function readLoads(client: PoolClient, ids: Iterable<number>): Promise<Map<number, LoadOrder>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) {
    return new Map();
  }
  const { rows } = await sql.read_loads(client, { source_ids: wanted });
  return new Map(rows.map(row => [row.source_id, orderOf(row)]));
}

function orderOf({ source_id, retrieved_on, fingerprint }: RowOf<typeof sql.find_load>): LoadOrder {
  return { sourceId: source_id, retrievedOn: retrieved_on, replacesItself: fingerprint === '' };
}
