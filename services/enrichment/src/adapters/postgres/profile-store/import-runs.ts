import { inTransaction } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { ImportKind } from '../../../domain/import/fields.ts';
import { ImportConflict, type ImportPosition, type ImportRuns } from '../../../domain/import/import-file.ts';
import type { CompanyRecord, PersonRecord } from '../../../domain/profile-store/profile-records.ts';
import type { LoadOutcome, SourceLoad } from '../../../domain/profile-store/profile-store.ts';
import { keepLoad, lockProfileStore } from './loads.ts';
import { loadWithin, type ProfileStoreOptions } from './profile-store.ts';

interface RunRow {
  readonly rows_done: string;
  readonly added: string;
  readonly merged: string;
  readonly unchanged: string;
  readonly refused: Readonly<Record<string, number>>;
  readonly ended_at: Date | null;
}

/** Stores import runs in Postgres. */
export function createImportRuns(pool: Pool, options: ProfileStoreOptions): ImportRuns {
  return {
    begin: (kind, load, again, now) =>
      inTransaction(pool, async client => {
        await lockProfileStore(client);
        return begin(client, kind, load, again, now);
      }),

    save: (kind, load, { records, rows, refused }, rowsBefore, now) =>
      inTransaction(pool, async client => {
        await lockProfileStore(client);
        const outcomes = await loadWithin(client, options, { ...typed(kind, records), load, now });
        const { sourceId } = await keepLoad(client, load);
        const all = { ...refused };
        for (const outcome of outcomes) {
          if (outcome.kind === 'refused') all[outcome.reason] = (all[outcome.reason] ?? 0) + 1;
        }
        await advance(client, sourceId, { rows, rowsBefore, outcomes, refused: all, now });
        return outcomes;
      }),

    end: (_kind, load, now) =>
      inTransaction(pool, async client => {
        await lockProfileStore(client);
        const { sourceId } = await keepLoad(client, load);
        await client.query('UPDATE import_run SET ended_at = $2, updated_at = $2 WHERE source_id = $1', [
          sourceId,
          now,
        ]);
      }),
  };
}

async function begin(
  client: PoolClient,
  kind: ImportKind,
  load: SourceLoad,
  again: boolean,
  now: Date,
): Promise<ImportPosition> {
  const { sourceId } = await keepLoad(client, load);
  await client.query(
    `INSERT INTO import_run (source_id, kind, started_at, updated_at) VALUES ($1, $2, $3, $3)
     ON CONFLICT (source_id) DO NOTHING`,
    [sourceId, kind, now],
  );
  if (again) {
    await client.query(
      `UPDATE import_run SET rows_done = 0, added = 0, merged = 0, unchanged = 0, refused = '{}',
         started_at = $2, updated_at = $2, ended_at = NULL
       WHERE source_id = $1 AND ended_at IS NOT NULL`,
      [sourceId, now],
    );
  }
  const { rows } = await client.query<RunRow>(
    'SELECT rows_done, added, merged, unchanged, refused, ended_at FROM import_run WHERE source_id = $1',
    [sourceId],
  );
  const [row] = rows;
  return {
    rowsDone: Number(row?.rows_done ?? 0),
    added: Number(row?.added ?? 0),
    merged: Number(row?.merged ?? 0),
    unchanged: Number(row?.unchanged ?? 0),
    refused: row?.refused ?? {},
    isEnded: row?.ended_at != null,
  };
}

interface Step {
  readonly rows: number;
  readonly rowsBefore: number;
  readonly outcomes: readonly LoadOutcome[];
  readonly refused: Readonly<Record<string, number>>;
  readonly now: Date;
}

async function advance(client: PoolClient, sourceId: number, step: Step): Promise<void> {
  const count = (kind: LoadOutcome['kind']) => step.outcomes.filter(outcome => outcome.kind === kind).length;
  const { rowCount } = await client.query(
    `UPDATE import_run SET rows_done = rows_done + $3, added = added + $4, merged = merged + $5,
       unchanged = unchanged + $6, updated_at = $8,
       refused = refused || (
         SELECT coalesce(jsonb_object_agg(reason, number::bigint + coalesce((refused ->> reason)::bigint, 0)), '{}')
         FROM jsonb_each_text($7) AS step (reason, number))
     WHERE source_id = $1 AND rows_done = $2`,
    [
      sourceId,
      step.rowsBefore,
      step.rows,
      count('added'),
      count('merged'),
      count('unchanged'),
      JSON.stringify(step.refused),
      step.now,
    ],
  );
  if (rowCount !== 1) {
    throw new ImportConflict('Another command is loading the same file right now.');
  }
}

function typed(kind: ImportKind, records: readonly CompanyRecord[] | readonly PersonRecord[]) {
  return kind === 'companies'
    ? { kind, records: records as readonly CompanyRecord[] }
    : { kind, records: records as readonly PersonRecord[] };
}
