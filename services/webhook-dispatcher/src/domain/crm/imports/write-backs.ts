import { createHash } from 'node:crypto';
import { idOfKey } from '@mailproof/durable-work';
import {
  type AccountId,
  type CrmImportId,
  type CrmOptions,
  crmRecordIdColumn,
  type ExportId,
  type ExportSource,
  validationResults,
} from '@mailproof/shared-types';
import type { CreateOutcome, ExportRequest } from '../../exports/create-export.ts';
import { hasEnded, rowsLeft } from '../../exports/export.ts';
import type { ExportStore } from '../../exports/export-ports.ts';
import type { CrmImport } from './crm-import.ts';
import type { WriteBackBeginning, WriteBacks } from './import-ports.ts';

export interface WriteBackPorts {
  readonly exports: Pick<ExportStore, 'findOf'>;
  readonly create: (request: ExportRequest) => Promise<CreateOutcome>;
  readonly cancel: (accountId: AccountId, exportId: ExportId) => Promise<unknown>;
  readonly isSourceGone: (error: unknown) => boolean;
}

/** Writes results back through a regular export, which finds the records by the ids that the import has stored. */
export function createWriteBacks(ports: WriteBackPorts): WriteBacks {
  return {
    async begin(record) {
      const request = exportOf(record);
      try {
        return request ? beginningOf(await ports.create(request)) : { kind: 'nothing' };
      } catch (error) {
        if (ports.isSourceGone(error)) {
          return { kind: 'gone' };
        }
        throw error;
      }
    },
    async find(accountId, exportId) {
      const found = await ports.exports.findOf(accountId, exportId);
      return (
        found && {
          status: hasEnded(found) ? (found.failure === null ? 'succeeded' : 'failed') : 'under_way',
          rows: found.rowsTotal,
          done: found.rowsTotal - rowsLeft(found),
        }
      );
    },
    async cancel({ accountId, importId, request }) {
      if (request.write_back) {
        await ports.cancel(accountId, idOfKey('export', accountId, keyHashOf(importId)));
      }
    },
  };
}

function exportOf(record: CrmImport): ExportRequest | undefined {
  const { accountId, jobId, request } = record;
  if (jobId === null || !request.write_back) {
    return undefined;
  }
  // Rows without a result would overwrite existing values with blanks.
  const source: ExportSource = {
    kind: 'validation_job',
    job_id: jobId,
    results: [...validationResults],
    with_validated_at: true,
  };
  const options: CrmOptions = {
    connection_id: record.connectionId,
    object: request.object,
    fields: request.write_back.fields,
    record_id_column: crmRecordIdColumn,
    creates: false,
  };
  return {
    accountId,
    creatorId: record.createdBy,
    requestId: record.requestId,
    // Repeated starts find the same export.
    keyHash: keyHashOf(record.importId),
    source,
    name: record.name,
    target: 'crm',
    options,
  };
}

function keyHashOf(importId: CrmImportId): Uint8Array {
  return createHash('sha256').update(`write-back of ${importId}`).digest();
}

function beginningOf(outcome: CreateOutcome): WriteBackBeginning {
  switch (outcome.kind) {
    case 'created':
    case 'repeated':
      return { kind: 'started', exportId: outcome.record.exportId, rows: outcome.record.rowsTotal };
    case 'nothingToExport':
      return { kind: 'nothing' };
    case 'tooMany':
      return { kind: 'tooMany' };
    default:
      throw new Error(`The export that writes results back cannot be started: ${outcome.kind}`);
  }
}
