import { inTransaction, onlyRow } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { ImportKind } from '../../../domain/import/fields.ts';
import {
  ImportConflict,
  type ImportPosition,
  type ImportRuns,
  type JoinedCompanies,
} from '../../../domain/import/import-file.ts';
import type { CompanyRecord, PersonRecord } from '../../../domain/profile-store/profile-records.ts';
import type { LoadOutcome, SourceLoad } from '../../../domain/profile-store/profile-store.ts';
import { sql } from '../profiles.sql.ts';
import { keepLoad } from './loads.ts';
import { loadWithin, type ProfileStoreOptions } from './profile-store.ts';

/** Stores import runs in Postgres. */
export function createImportRuns(pool: Pool, options: ProfileStoreOptions): ImportRuns {
  return {
    begin: (kind, load, again, now) =>
      inTransaction(pool, async client => {
        await sql.lock_profile_store(client, {});
        return begin(client, kind, load, again, now);
      }),

    save: (kind, load, { records, rows, refused }, rowsBefore, now) =>
      inTransaction(pool, async client => {
        await sql.lock_profile_store(client, {});
        const { outcomes, companies } = await loadWithin(client, options, {
          ...typed(kind, records),
          load,
          now,
        });
        const { sourceId } = await keepLoad(client, load);
        const all = { ...refused };
        for (const outcome of outcomes) {
          if (outcome.kind === 'refused') all[outcome.reason] = (all[outcome.reason] ?? 0) + 1;
        }
        await advance(client, sourceId, { rows, rowsBefore, outcomes, companies, refused: all, now });
        return { outcomes, companies };
      }),

    end: (_kind, load, now) =>
      inTransaction(pool, async client => {
        await sql.lock_profile_store(client, {});
        const { sourceId } = await keepLoad(client, load);
        await sql.end_import(client, { source_id: sourceId, now });
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
  await sql.begin_import(client, { source_id: sourceId, kind, now });
  if (again) {
    await sql.begin_import_again(client, { source_id: sourceId, now });
  }
  const row = await onlyRow(sql.find_import(client, { source_id: sourceId }));
  return {
    rowsDone: Number(row.rows_done),
    added: Number(row.added),
    merged: Number(row.merged),
    unchanged: Number(row.unchanged),
    refused: row.refused as Record<string, number>,
    companies: { added: Number(row.companies_added), merged: Number(row.companies_merged) },
    isEnded: row.ended_at !== null,
  };
}

interface Step {
  readonly rows: number;
  readonly rowsBefore: number;
  readonly outcomes: readonly LoadOutcome[];
  readonly companies: JoinedCompanies;
  readonly refused: Readonly<Record<string, number>>;
  readonly now: Date;
}

async function advance(client: PoolClient, sourceId: number, step: Step): Promise<void> {
  const count = (kind: LoadOutcome['kind']) => step.outcomes.filter(outcome => outcome.kind === kind).length;
  const { rowCount } = await sql.advance_import(client, {
    source_id: sourceId,
    rows_before: step.rowsBefore,
    rows: step.rows,
    added: count('added'),
    merged: count('merged'),
    unchanged: count('unchanged'),
    refused: JSON.stringify(step.refused),
    companies_added: step.companies.added,
    companies_merged: step.companies.merged,
    now: step.now,
  });
  if (rowCount !== 1) {
    throw new ImportConflict('Another command is loading the same file right now.');
  }
}

function typed(kind: ImportKind, records: readonly CompanyRecord[] | readonly PersonRecord[]) {
  return kind === 'companies'
    ? { kind, records: records as readonly CompanyRecord[] }
    : { kind, records: records as readonly PersonRecord[] };
}
