import { inTransaction, readCursor, traceParent, writeCursor } from '@mailproof/service-kit';
import { type AccountId, type ExportId, runExportJob } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { Export } from '../../domain/exports/export.ts';
import type { CreateExportOutcome, ExportStore, NewExport } from '../../domain/exports/export-store.ts';
import { enqueueExportJob } from './enqueue-job.ts';
import { createRowStore } from './export-row-store.ts';
import { assignmentsOf, type ExportTableRow, exportOf } from './export-rows.ts';

/** Where a page ended. */
const exportNumber = z.string().regex(/^\d{1,18}$/);

const underWay = "e.status IN ('queued', 'running')";
/** Exports that one round of the sweep gives jobs to, and that one deletes. */
const sweptMax = 100;
const deletedMax = 20;

const insert = `
  INSERT INTO export AS e (export_id, account_id, created_by, request_id, name, source, target, options, columns,
    rows_total, created_at, moved_at, deleted_at, trace_parent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)
  ON CONFLICT (export_id) DO NOTHING RETURNING e.*`;

/**
 * What stands still on somebody's behalf is left alone; what has a moment at which it goes on is looked for only after
 * that.
 */
const sweep = `
  INSERT INTO outbox (job_type, payload, trace_parent)
  SELECT $1, jsonb_build_object('exportId', e.export_id), e.trace_parent FROM export e
  WHERE ${underWay} AND e.moved_at < $2 AND (e.pause_reason IS NULL OR e.resumes_at < $2) AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE done_at IS NULL AND failed_at IS NULL AND job_type = $1 AND payload->>'exportId' = e.export_id)
  ORDER BY e.moved_at LIMIT ${sweptMax}`;

const deleteSome = (condition: string) => `
  DELETE FROM export e WHERE e.export_no = ANY(ARRAY(
    SELECT export_no FROM export WHERE ${condition} LIMIT ${deletedMax}))
  RETURNING e.*`;

export function createExportStore(pool: Pool): ExportStore {
  const first = async (text: string, values: readonly unknown[]): Promise<Export | undefined> => {
    const { rows } = await pool.query<ExportTableRow>(text, [...values]);
    return rows[0] && exportOf(rows[0]);
  };
  const all = async (text: string, values: readonly unknown[]): Promise<Export[]> => {
    const { rows } = await pool.query<ExportTableRow>(text, [...values]);
    return rows.map(exportOf);
  };
  return {
    ...createRowStore(pool),
    create: (record, activeMax) => inTransaction(pool, client => create(client, record, activeMax)),
    find: exportId => first('SELECT e.* FROM export e WHERE e.export_id = $1', [exportId]),
    findOf: (accountId, exportId) =>
      first('SELECT e.* FROM export e WHERE e.export_id = $1 AND e.account_id = $2', [exportId, accountId]),
    countUnderWay: accountId => countUnderWay(pool, accountId),
    async list(accountId, { status, target, cursor, limit }) {
      const before = cursor === undefined ? null : readCursor(exportNumber, cursor);
      const { rows } = await pool.query<ExportTableRow>(
        `SELECT e.* FROM export e
           WHERE e.account_id = $1 AND ($2::text IS NULL OR e.status = $2) AND ($3::text IS NULL OR e.target = $3)
             AND ($4::bigint IS NULL OR e.export_no < $4)
           ORDER BY e.export_no DESC LIMIT ${limit + 1}`,
        [accountId, status ?? null, target ?? null, before],
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { exports: shown.map(exportOf), nextCursor: last && writeCursor(last.export_no) };
    },
    change: (record, change, nextJob) => {
      const { assignments, values } = assignmentsOf(change, 2);
      const update = `UPDATE export e SET ${assignments.join(', ')}
        WHERE e.export_no = $1 AND e.version = $2 RETURNING e.*`;
      const all = [record.exportNo, record.version, ...values];
      return nextJob === undefined
        ? first(update, all)
        : inTransaction(pool, async client => {
            const { rows } = await client.query<ExportTableRow>(update, all);
            const [row] = rows;
            if (row) {
              await client.query(enqueueExportJob, [runExportJob.name, record.exportId, nextJob.waitMs]);
            }
            return row && exportOf(row);
          });
    },
    delete: (accountId, exportId) =>
      first('DELETE FROM export e WHERE e.account_id = $1 AND e.export_id = $2 RETURNING e.*', [
        accountId,
        exportId,
      ]),
    deleteOfAccount: accountId => all(deleteSome('account_id = $1'), [accountId]),
    deleteOutdated: now => all(deleteSome('deleted_at <= $1'), [now]),
    async sweep(stillSince) {
      const { rowCount } = await pool.query(sweep, [runExportJob.name, stillSince]);
      return rowCount ?? 0;
    },
  };
}

async function create(
  client: PoolClient,
  record: NewExport,
  activeMax: number,
): Promise<CreateExportOutcome> {
  // Exports of one account that begin at the same time are counted one after the other.
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 36))', [record.accountId]);
  const earlier = await findById(client, record.accountId, record.exportId);
  if (earlier) {
    return { kind: 'repeated', record: earlier };
  }
  if ((await countUnderWay(client, record.accountId)) >= activeMax) {
    return { kind: 'tooMany' };
  }
  const { rows } = await client.query<ExportTableRow>(insert, [
    record.exportId,
    record.accountId,
    record.createdBy,
    record.requestId,
    record.name,
    JSON.stringify(record.source),
    record.target,
    JSON.stringify(record.options),
    record.columns,
    record.rowsTotal,
    record.createdAt,
    record.deletedAt,
    traceParent(),
  ]);
  const [row] = rows;
  if (!row) {
    throw new Error(`Export ${record.exportId} belongs to another account.`);
  }
  await client.query(enqueueExportJob, [runExportJob.name, record.exportId, 0]);
  return { kind: 'created', record: exportOf(row) };
}

async function findById(
  client: PoolClient,
  accountId: AccountId,
  exportId: ExportId,
): Promise<Export | undefined> {
  const { rows } = await client.query<ExportTableRow>(
    'SELECT e.* FROM export e WHERE e.account_id = $1 AND e.export_id = $2',
    [accountId, exportId],
  );
  return rows[0] && exportOf(rows[0]);
}

async function countUnderWay(client: Pool | PoolClient, accountId: AccountId): Promise<number> {
  const { rows } = await client.query<{ exports: number }>(
    `SELECT count(*)::int AS exports FROM export e WHERE e.account_id = $1 AND ${underWay}`,
    [accountId],
  );
  return rows[0]?.exports ?? 0;
}
