import type { PoolClient } from 'pg';
import type { LoadOrder } from '../../../domain/profile-store/merge.ts';
import type { SourceLoad } from '../../../domain/profile-store/profile-store.ts';

interface SourceRow {
  readonly source_id: number;
  readonly retrieved_on: string;
  readonly fingerprint: string;
}

const columns = 'source_id, retrieved_on::text, fingerprint';

/** Finds or creates the load. The caller holds the store's lock, so it is created only once. */
export async function keepLoad(client: PoolClient, load: SourceLoad): Promise<LoadOrder> {
  const parts = [load.kind, load.name, load.licence, load.retrievedOn, load.fingerprint];
  const known = await client.query<SourceRow>(
    `SELECT ${columns} FROM source
     WHERE kind = $1 AND name = $2 AND licence = $3 AND retrieved_on = $4 AND fingerprint = $5`,
    parts,
  );
  const { rows } =
    known.rows.length > 0
      ? known
      : await client.query<SourceRow>(
          `INSERT INTO source (kind, name, licence, retrieved_on, fingerprint)
           VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
          parts,
        );
  const [row] = rows;
  if (!row) {
    throw new Error('A source that was inserted did not come back.');
  }
  return orderOf(row);
}

/** Returns the precedence of the loads that records of a batch come from. */
export async function readLoads(client: PoolClient, ids: Iterable<number>): Promise<Map<number, LoadOrder>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) {
    return new Map();
  }
  const { rows } = await client.query<SourceRow>(`SELECT ${columns} FROM source WHERE source_id = ANY ($1)`, [
    wanted,
  ]);
  return new Map(rows.map(row => [row.source_id, orderOf(row)]));
}

function orderOf({ source_id, retrieved_on, fingerprint }: SourceRow): LoadOrder {
  return { sourceId: source_id, retrievedOn: retrieved_on, replacesItself: fingerprint === '' };
}

/**
 * Lets only one transaction at a time write companies, people and removals. So no suppressed person slips in
 * concurrently, two loads never update the same record at once, and change numbers become visible in order: a reader
 * that has read up to one never finds a smaller one later (ADR 0031).
 */
export async function lockProfileStore(client: PoolClient): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('mailproof profile store', 0))");
}
