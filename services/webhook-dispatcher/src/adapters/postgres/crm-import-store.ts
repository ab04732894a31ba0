import { inTransaction, readCursor, traceParent, writeCursor } from '@mailproof/service-kit';
import { type AccountId, type CrmImportId, runCrmImportJob } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { CrmImport } from '../../domain/crm/imports/crm-import.ts';
import type { ImportStore, NewImport, StoredImport } from '../../domain/crm/imports/import-store.ts';
import { type ImportTableRow, importAssignments, importOf } from './crm-import-rows.ts';
import { enqueueImportJob } from './enqueue-job.ts';

/** Where a page ended. */
const importNumber = z.string().regex(/^\d{1,18}$/);

/** Imports that one round of the sweep gives jobs to, and that one deletes. */
const sweptMax = 100;
const deletedMax = 100;

const insert = `
  INSERT INTO crm_import AS i (import_id, account_id, created_by, request_id, connection_id, name, request, columns,
    records_total, created_at, moved_at, deleted_at, trace_parent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12) RETURNING i.*`;

const noteRead = `
  UPDATE crm_import i SET records_read = $3, records_total = greatest(i.records_total, $3), records_shortened = $4, moved_at = $5, pause_reason = NULL,
    resumes_at = NULL, version = i.version + 1
  WHERE i.import_no = $1 AND i.runner = $2 AND i.ended_at IS NULL`;

/** What waits for its moment has a job in the outbox all the time. */
const sweep = `
  INSERT INTO outbox (job_type, payload, trace_parent)
  SELECT $1, jsonb_build_object('importId', i.import_id), i.trace_parent FROM crm_import i
  WHERE (i.ended_at IS NULL OR i.is_stopping) AND i.moved_at < $2 AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE done_at IS NULL AND failed_at IS NULL AND job_type = $1 AND payload->>'importId' = i.import_id)
  ORDER BY i.moved_at LIMIT ${sweptMax}`;

const deleteSome = (condition: string) => `
  DELETE FROM crm_import WHERE import_no = ANY(ARRAY(
    SELECT import_no FROM crm_import WHERE ${condition} LIMIT ${deletedMax}))`;

/** Imports, on Postgres. */
export function createImportStore(pool: Pool): ImportStore {
  const first = async (text: string, values: readonly unknown[]): Promise<CrmImport | undefined> => {
    const { rows } = await pool.query<ImportTableRow>(text, [...values]);
    return rows[0] && importOf(rows[0]);
  };
  const countOf = async (text: string, values: readonly unknown[]): Promise<number> =>
    (await pool.query(text, [...values])).rowCount ?? 0;
  const findOf: ImportStore['findOf'] = (accountId, importId) =>
    first('SELECT i.* FROM crm_import i WHERE i.import_id = $1 AND i.account_id = $2', [importId, accountId]);
  return {
    create: (record, activeMax) => inTransaction(pool, client => create(client, record, activeMax)),
    find: importId => first('SELECT i.* FROM crm_import i WHERE i.import_id = $1', [importId]),
    findOf,
    countReading: accountId => countReading(pool, accountId),
    async list(accountId, { state, connectionId, cursor, limit }) {
      const before = cursor === undefined ? null : readCursor(importNumber, cursor);
      const { rows } = await pool.query<ImportTableRow>(
        `SELECT i.* FROM crm_import i
           WHERE i.account_id = $1 AND ($2::text IS NULL OR i.state = $2)
             AND ($3::text IS NULL OR i.connection_id = $3) AND ($4::bigint IS NULL OR i.import_no < $4)
           ORDER BY i.import_no DESC LIMIT ${limit + 1}`,
        [accountId, state ?? null, connectionId ?? null, before],
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { imports: shown.map(importOf), nextCursor: last && writeCursor(last.import_no) };
    },
    change: (record, change, waitMs) => {
      const { assignments, values } = importAssignments(change, 2);
      const update = `UPDATE crm_import i SET ${assignments}
        WHERE i.import_no = $1 AND i.version = $2 RETURNING i.*`;
      const all = [record.importNo, record.version, ...values];
      return waitMs === undefined
        ? first(update, all)
        : inTransaction(pool, async client => {
            const { rows } = await client.query<ImportTableRow>(update, all);
            const [row] = rows;
            if (row) {
              await client.query(enqueueImportJob, [runCrmImportJob.name, record.importId, waitMs]);
            }
            return row && importOf(row);
          });
    },
    async noteRead(importNo, runner, { read, shortened, now }) {
      return (await countOf(noteRead, [importNo, runner, read, shortened, now])) === 1;
    },
    async delete(accountId, importId) {
      const deleted = await countOf(
        `DELETE FROM crm_import
         WHERE account_id = $1 AND import_id = $2 AND ended_at IS NOT NULL AND NOT is_stopping`,
        [accountId, importId],
      );
      return deleted === 1 ? 'deleted' : (await findOf(accountId, importId)) ? 'underWay' : 'notFound';
    },
    deleteOfAccount: accountId => countOf(deleteSome('account_id = $1'), [accountId]),
    async listOutdated(now) {
      const { rows } = await pool.query<ImportTableRow>(
        `SELECT i.* FROM crm_import i WHERE i.deleted_at <= $1 AND i.ended_at IS NULL LIMIT ${deletedMax}`,
        [now],
      );
      return rows.map(importOf);
    },
    deleteOutdated: now =>
      countOf(deleteSome('deleted_at <= $1 AND ended_at IS NOT NULL AND NOT is_stopping'), [now]),
    sweep: stillSince => countOf(sweep, [runCrmImportJob.name, stillSince]),
  };
}

async function create(client: PoolClient, record: NewImport, activeMax: number): Promise<StoredImport> {
  // Imports of one account that begin at the same time are counted one after the other.
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 41))', [record.accountId]);
  const earlier = await findById(client, record.accountId, record.importId);
  if (earlier) {
    return { kind: 'repeated', record: earlier };
  }
  if ((await countReading(client, record.accountId)) >= activeMax) {
    return { kind: 'tooMany' };
  }
  const { rows } = await client.query<ImportTableRow>(insert, [
    record.importId,
    record.accountId,
    record.createdBy,
    record.requestId,
    record.connectionId,
    record.name,
    JSON.stringify(record.request),
    record.columns,
    record.recordsTotal,
    record.createdAt,
    record.deletedAt,
    traceParent(),
  ]);
  const [row] = rows;
  if (!row) {
    throw new Error(`Import ${record.importId} was not written down.`);
  }
  await client.query(enqueueImportJob, [runCrmImportJob.name, record.importId, 0]);
  return { kind: 'created', record: importOf(row) };
}

async function findById(
  client: PoolClient,
  accountId: AccountId,
  importId: CrmImportId,
): Promise<CrmImport | undefined> {
  const { rows } = await client.query<ImportTableRow>(
    'SELECT i.* FROM crm_import i WHERE i.account_id = $1 AND i.import_id = $2',
    [accountId, importId],
  );
  return rows[0] && importOf(rows[0]);
}

async function countReading(client: Pool | PoolClient, accountId: AccountId): Promise<number> {
  const { rows } = await client.query<{ imports: number }>(
    `SELECT count(*)::int AS imports FROM crm_import WHERE account_id = $1 AND NOT is_in AND ended_at IS NULL`,
    [accountId],
  );
  return rows[0]?.imports ?? 0;
}
