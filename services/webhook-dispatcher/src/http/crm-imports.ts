import { type Follow, type Handlers, Problem, publicRequestId, readRequestKey } from '@mailproof/service-kit';
import {
  type AccountId,
  type CrmImportId,
  type CrmImportRecord,
  createCrmImport,
  crmImportFailures,
  crmImportPauseReasons,
  limits,
} from '@mailproof/shared-types';
import type { CreateImportOutcome, ImportInput } from '../domain/crm/imports/create-import.ts';
import { type CrmImport, hasEnded } from '../domain/crm/imports/crm-import.ts';
import type { ImportStore } from '../domain/crm/imports/import-ports.ts';
import { orCrmProblem } from './crm-problem.ts';

export interface CrmImportPorts {
  readonly imports: Pick<ImportStore, 'findOf' | 'list' | 'delete'>;
  readonly create: (wanted: ImportInput, signal: AbortSignal) => Promise<CreateImportOutcome>;
  readonly cancel: (accountId: AccountId, importId: CrmImportId) => Promise<CrmImport | undefined>;
  readonly follow: Follow;
}

/** Imports of CRM records. */
export function crmImportHandlers({ imports, create, cancel, follow }: CrmImportPorts) {
  return {
    async createCrmImport({ params: { accountId, callerId: creatorId }, body }, context) {
      const { connection_id: connectionId, name, ...request } = body;
      const wanted = {
        accountId,
        creatorId,
        requestId: publicRequestId(context),
        keyHash: readRequestKey(createCrmImport, accountId, null, context)?.hash ?? null,
        connectionId,
        name,
        request,
      };
      return crmImportAnswer(recordOrProblem(await orCrmProblem(create(wanted, context.signal))));
    },

    async listCrmImports({ params: { accountId }, query }) {
      const { connection_id: connectionId, ...part } = query;
      const page = await imports.list(accountId, { ...part, connectionId });
      return { imports: page.imports.map(crmImportAnswer), next_cursor: page.nextCursor };
    },

    getCrmImport: async ({ params: { accountId, import_id: importId } }) =>
      crmImportAnswer(await foundCrmImport(imports.findOf(accountId, importId))),

    async followCrmImport({ params: { accountId, import_id: importId } }, context) {
      const find = () => imports.findOf(accountId, importId);
      await foundCrmImport(find());
      return follow(accountId, context, { find, hasEnded, event: 'import', answer: crmImportAnswer });
    },

    cancelCrmImport: async ({ params: { accountId, import_id: importId } }) =>
      crmImportAnswer(await foundCrmImport(cancel(accountId, importId))),

    async deleteCrmImport({ params: { accountId, import_id: importId } }) {
      const outcome = await imports.delete(accountId, importId);
      if (outcome !== 'deleted') {
        throw new Problem(outcome === 'active' ? 'crm_import_under_way' : 'crm_import_not_found');
      }
      return { import_id: importId };
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

function recordOrProblem(outcome: CreateImportOutcome): CrmImport {
  switch (outcome.kind) {
    case 'created':
    case 'repeated':
      return outcome.record;
    case 'keyReused':
      throw new Problem('idempotency_key_reused');
    case 'tooMany':
      throw new Problem('too_many_crm_imports', {
        detail: `At most ${limits.activeCrmImportsMax} imports can read records in parallel.`,
      });
    case 'noConnection':
      throw new Problem('crm_connection_not_found');
    case 'noSuchList':
      throw new Problem('saved_list_not_found');
    case 'listOfPeople':
      throw new Problem('invalid_request', {
        extra: { errors: [{ pointer: '/list_id', detail: 'must be a list of companies' }] },
      });
    case 'nothingToImport':
      throw new Problem('nothing_to_import');
    case 'noSuchSegment':
      throw notValid('The CRM does not have this segment.', [
        { pointer: '/selection/segment_id', detail: 'This segment does not exist.' },
      ]);
    case 'notValid':
      throw notValid('Some properties do not exist or are read-only.', outcome.faults);
    case 'tooLarge':
      throw new Problem('crm_import_too_large', {
        detail: `The selection has more than ${outcome.recordsMax.toLocaleString('en')} records.`,
      });
  }
}

function notValid(detail: string, errors: readonly { pointer: string; detail: string }[]): Problem {
  return new Problem('crm_selection_not_valid', {
    detail,
    ...(errors.length > 0 && { extra: { errors: [...errors] } }),
  });
}

/** The account's import, or the problem `crm_import_not_found`. */
async function foundCrmImport(found: Promise<CrmImport | undefined>): Promise<CrmImport> {
  const record = await found;
  if (!record) {
    throw new Problem('crm_import_not_found');
  }
  return record;
}

/** An import as the API returns it. */
function crmImportAnswer(record: CrmImport): CrmImportRecord {
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
    list_id: request.list_id ?? null,
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
      without_domain: record.recordsWithoutDomain ?? 0,
    },
    // A job that did not receive all its rows is not shown.
    job_id: isIn ? record.jobId : null,
    addresses: record.addresses,
    cost_max: record.costMax,
    validated: record.validated,
    written_back: record.exportId === null ? null : { total: record.rowsToWrite, done: record.rowsWritten },
    export_id: record.exportId,
    domains:
      record.domainsAdded === null || record.domainsPresent === null
        ? null
        : { added: record.domainsAdded, present: record.domainsPresent },
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
