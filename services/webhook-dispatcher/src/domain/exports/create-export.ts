import { isDeepStrictEqual } from 'node:util';
import { idOfKey } from '@mailproof/durable-work';
import {
  type AccountId,
  type CreatorId,
  type ExportedValue,
  type ExportId,
  type ExportSource,
  type ExportTarget,
  limits,
  newId,
  type RequestId,
} from '@mailproof/shared-types';
import { type Export, type ExportOptions, hasEnded } from './export.ts';
import type { ExportPorts, NewExport } from './export-ports.ts';
import type { RowSources } from './row-sources.ts';

export interface ExportRequest {
  readonly accountId: AccountId;
  readonly creatorId: CreatorId;
  readonly requestId: RequestId;
  /** The hash of the `Idempotency-Key`, if there is one. */
  readonly keyHash: Uint8Array | null;
  readonly source: ExportSource;
  /** The ended export whose failed rows are sent again, instead of all rows of the source. */
  readonly failedRowsOf?: Export;
  readonly name: string | undefined;
  readonly target: ExportTarget;
  readonly options: ExportOptions;
  /**
   * Stores the destination before the export is created; if the export is not created, the destination is deleted
   * again.
   */
  readonly keepDestination?: (exportId: ExportId) => Promise<void>;
  /** Checks whether rows with these columns can be delivered, and throws if not. */
  readonly prepare?: (columns: readonly string[]) => Promise<void>;
}

export type CreateOutcome =
  | { readonly kind: 'created' | 'repeated'; readonly record: Export }
  | { readonly kind: 'keyReused' | 'tooMany' | 'nothingToExport' }
  | { readonly kind: 'tooLarge'; readonly rows: number };

type CreateExportPorts = Pick<ExportPorts, 'exports' | 'sources' | 'delivery' | 'events' | 'now'> & {
  /** How long an export is kept, in milliseconds. */
  readonly keptMs: number;
};

const sourceNames: Readonly<Record<ExportSource['kind'], string>> = {
  validation_job: 'Validated addresses',
  saved_people: 'Saved people',
  saved_companies: 'Companies',
};

/**
 * Starts an export: counts the rows before any work, and refuses too many rows. The same request with the same key
 * finds the export that the first one created. Throws what its source throws.
 */
export async function createExport(ports: CreateExportPorts, request: ExportRequest): Promise<CreateOutcome> {
  const exportId = request.keyHash ? idOfKey('export', request.accountId, request.keyHash) : newId('export');
  const earlier = request.keyHash ? await ports.exports.findOf(request.accountId, exportId) : undefined;
  if (earlier) {
    return repeated(request, earlier);
  }
  // Also checked before the source is read, so that a refusal costs nothing.
  if ((await ports.exports.countActive(request.accountId)) >= limits.activeExportsMax) {
    return { kind: 'tooMany' };
  }
  const rows = await rowsOf(ports, request);
  if (rows.rowsTotal > limits.exportRowsMax) {
    return { kind: 'tooLarge', rows: rows.rowsTotal };
  }
  if (rows.rowsTotal === 0) {
    return { kind: 'nothingToExport' };
  }
  await request.prepare?.(rows.columns);
  await request.keepDestination?.(exportId);
  const outcome = await ports.exports.create(
    newExportOf(ports, request, { exportId, ...rows }),
    limits.activeExportsMax,
  );
  if (outcome.kind === 'tooMany') {
    await ports.delivery.forget(exportId);
    return outcome;
  }
  if (outcome.kind === 'repeated') {
    if (hasEnded(outcome.record)) {
      // The export has already ended, so it does not need the destination that was just stored.
      await ports.delivery.forget(exportId);
    }
    return repeated(request, outcome.record);
  }
  ports.events.exportStarted(outcome.record);
  return outcome;
}

type Rows = Pick<NewExport, 'columns' | 'rowsTotal' | 'rowsOpen'>;

async function rowsOf(
  { sources }: Pick<CreateExportPorts, 'sources'>,
  { accountId, source, failedRowsOf }: ExportRequest,
): Promise<Rows> {
  if (failedRowsOf) {
    return { columns: failedRowsOf.columns, rowsTotal: failedRowsOf.rowsFailed, rowsOpen: 0 };
  }
  const page = await sources.list(accountId, source, undefined);
  return { columns: page.columns, rowsTotal: page.total, rowsOpen: page.openTotal };
}

function newExportOf(
  { now, keptMs }: CreateExportPorts,
  { accountId, creatorId, requestId, source, failedRowsOf, name, target, options }: ExportRequest,
  found: Rows & Pick<NewExport, 'exportId'>,
): NewExport {
  const createdAt = now();
  return {
    ...found,
    accountId,
    createdBy: creatorId,
    requestId,
    name: name ?? sourceNames[source.kind],
    source,
    ...(failedRowsOf && {
      failedRowsOf: failedRowsOf.exportId,
      status: 'running',
      isListed: true,
      startedAt: createdAt,
    }),
    target,
    options,
    createdAt,
    deletedAt: new Date(createdAt.getTime() + keptMs),
  };
}

function repeated(
  { source, failedRowsOf, name, target, options }: ExportRequest,
  record: Export,
): CreateOutcome {
  const asked = {
    source,
    failedRowsOf: failedRowsOf?.exportId ?? null,
    target,
    options,
    name: name ?? sourceNames[source.kind],
  };
  const made = {
    source: record.source,
    failedRowsOf: record.failedRowsOf,
    target: record.target,
    options: record.options,
    name: record.name,
  };
  return isDeepStrictEqual(withoutUndefined(asked), made)
    ? { kind: 'repeated', record }
    : { kind: 'keyReused' };
}

/** Returns the value as the store returns it, which drops undefined members. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A preview of an export. */
export interface ExportSurvey {
  readonly rows: number;
  /** Rows of a running job without a result. */
  readonly rows_open: number;
  readonly rows_max: number;
  readonly columns: string[];
  readonly samples: ExportedValue[][];
}

const samplesMax = 5;

/** Surveys a source before an export. Throws what the source throws. */
export async function surveyExport(
  sources: RowSources,
  accountId: AccountId,
  source: ExportSource,
): Promise<ExportSurvey> {
  const { columns, total, openTotal, keys } = await sources.list(accountId, source, undefined);
  const shown = keys.slice(0, samplesMax);
  const page = shown.length > 0 ? await sources.read(accountId, source, shown) : { rows: [] };
  return {
    rows: total,
    rows_open: openTotal,
    rows_max: limits.exportRowsMax,
    columns: [...columns],
    samples: page.rows.map(({ values }) => [...values]),
  };
}
