import { createWorkTable } from '@mailproof/durable-work/postgres';
import { type CrmImportId, nameInEvent, runCrmImportJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { CrmImport, ImportChange } from '../../domain/crm/imports/crm-import.ts';
import type { ImportStore, NewImport } from '../../domain/crm/imports/import-ports.ts';
import { newEvent } from '../../domain/events/take-events.ts';
import { sql } from './crm.sql.ts';
import { createEventRecorder } from './delivery-store.ts';

/** The most imports that are deleted or listed at once. */
const someMax = 100;

/** The import has ended and nothing is left to stop. */
const isOver = 'w.ended_at IS NOT NULL AND NOT w.is_stopping';

/** Imports, on Postgres. */
export function createImportStore(pool: Pool): ImportStore {
  const recordEvent = createEventRecorder(pool);
  const imports = createWorkTable<CrmImportId, CrmImport, ImportChange, NewImport>(pool, {
    table: 'crm_import',
    name: 'import',
    jobType: runCrmImportJob,
    idOf: ({ importId }) => importId,
    isActive: 'NOT w.is_in AND w.ended_at IS NULL',
    // A waiting import always has a job in the outbox.
    needsJob: '(w.ended_at IS NULL OR w.is_stopping)',
    lock: 41,
    async onChange(client, record, before) {
      if (record.endedAt !== null && before.endedAt === null) {
        await recordEvent(client, finishedEvent(record, record.endedAt), record.endedAt);
      }
    },
  });
  const deleteSome = async (condition: string, values: readonly unknown[], rowsMax = someMax) =>
    (await imports.deleteSome(condition, values, rowsMax)).length;
  return {
    ...imports,
    async list(accountId, { state, connectionId, cursor, limit }) {
      const filters = { state, connection_id: connectionId };
      const page = await imports.page(accountId, filters, { cursor, limit });
      return { imports: page.records, nextCursor: page.nextCursor };
    },
    async noteRead(importNo, runner, { read, shortened, withoutDomain, now }) {
      const { rowCount } = await sql.note_records_read(pool, {
        import_no: Number(importNo),
        runner,
        records_read: read,
        records_shortened: shortened,
        records_without_domain: withoutDomain,
        now,
      });
      return rowCount === 1;
    },
    async delete(accountId, importId) {
      const condition = `w.account_id = $1 AND w.import_id = $2 AND ${isOver}`;
      const deleted = await deleteSome(condition, [accountId, importId], 1);
      return deleted === 1 ? 'deleted' : (await imports.findOf(accountId, importId)) ? 'active' : 'notFound';
    },
    deleteOfAccount: accountId => deleteSome('w.account_id = $1', [accountId]),
    listOutdated: now => imports.select(`w.deleted_at <= $1 AND w.ended_at IS NULL LIMIT ${someMax}`, [now]),
    deleteOutdated: now => deleteSome(`w.deleted_at <= $1 AND ${isOver}`, [now]),
  };
}

function finishedEvent(record: CrmImport, endedAt: Date) {
  const data = {
    account_id: record.accountId,
    import_id: record.importId,
    name: nameInEvent(record.name),
    job_id: record.isIn ? record.jobId : null,
    state: record.state,
    failure: record.failure,
    records: record.recordsRead,
    rows_written: record.rowsWritten,
    list_id: record.request.list_id ?? null,
    domains_added: record.domainsAdded ?? 0,
    seconds: secondsBetween(record.createdAt, endedAt),
  };
  return newEvent('crm_import.finished', data, endedAt);
}

function secondsBetween(from: Date, until: Date): number {
  return Math.max(0, Math.round((until.getTime() - from.getTime()) / 1_000));
}
