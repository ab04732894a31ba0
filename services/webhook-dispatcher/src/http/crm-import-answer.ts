import { type CrmImportRecord, crmImportFailures, crmImportPauseReasons } from '@mailproof/shared-types';
import type { CrmImport } from '../domain/crm/imports/crm-import.ts';

/** An import as people see it. */
export function crmImportAnswer(record: CrmImport): CrmImportRecord {
  const { request, pauseReason, failure, isIn } = record;
  return {
    import_id: record.importId,
    name: record.name,
    connection_id: record.connectionId,
    object: request.object,
    selection: request.selection,
    properties: request.properties,
    address_property: request.address_property,
    start_when_ready: request.start_when_ready ?? false,
    credits_max: request.credits_max ?? null,
    write_back: request.write_back ?? null,
    state: record.state,
    pause:
      pauseReason === null
        ? null
        : {
            reason: pauseReason,
            detail: crmImportPauseReasons[pauseReason],
            resumes_at: record.resumesAt?.toISOString() ?? null,
          },
    failure: failure === null ? null : { reason: failure, detail: crmImportFailures[failure] },
    records: {
      total: record.recordsTotal,
      read: record.recordsRead,
      shortened: record.recordsShortened,
    },
    // A job that never came in to its end is nobody's business.
    job_id: isIn ? record.jobId : null,
    addresses: record.addresses,
    cost_max: record.costMax,
    validated: record.validated,
    written_back: record.exportId === null ? null : { total: record.rowsToWrite, done: record.rowsWritten },
    export_id: record.exportId,
    progress: progressOf(record),
    created_by: record.createdBy,
    created_at: record.createdAt.toISOString(),
    ended_at: record.endedAt?.toISOString() ?? null,
    deleted_at: record.deletedAt.toISOString(),
    version: record.version,
  };
}

function progressOf(record: CrmImport): number {
  switch (record.state) {
    case 'queued':
      return 0;
    case 'ready':
    case 'succeeded':
      return 1;
    case 'writing_back':
      return share(record.rowsWritten, record.rowsToWrite);
    case 'validating':
      return share(record.validated, record.addresses ?? 0);
    default:
      return record.exportId !== null
        ? share(record.rowsWritten, record.rowsToWrite)
        : share(record.recordsRead, record.recordsTotal);
  }
}

const share = (done: number, all: number) => (all === 0 ? 0 : Math.min(1, done / all));
