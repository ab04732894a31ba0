import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  type ExportId,
  type ExportSource,
  type ExportTarget,
  limits,
  newId,
  type RequestId,
  type UserId,
} from '@mailproof/shared-types';
import { type Export, type ExportOptions, hasEnded } from './export.ts';
import type { ExportPorts } from './export-ports.ts';
import type { NewExport } from './export-store.ts';

export interface ExportRequest {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly requestId: RequestId;
  /** Of the `Idempotency-Key`, where there is one. */
  readonly keyHash: Uint8Array | null;
  readonly source: ExportSource;
  readonly name: string | undefined;
  readonly target: ExportTarget;
  readonly options: ExportOptions;
  /**
   * Puts where the rows go in its place, ahead of the export that needs it; it is forgotten again where the export is
   * not made.
   */
  readonly keepDestination?: (exportId: ExportId) => Promise<void>;
  /** Looks whether rows with these columns can go where they are to go, and throws where they cannot. */
  readonly prepare?: (columns: readonly string[]) => Promise<void>;
}

export type CreateOutcome =
  | { readonly kind: 'created' | 'repeated'; readonly record: Export }
  | { readonly kind: 'keyReused' | 'tooMany' | 'nothingToExport' }
  | { readonly kind: 'tooLarge'; readonly rows: number };

export type CreateExportPorts = Pick<ExportPorts, 'exports' | 'sources' | 'delivery' | 'events' | 'now'> & {
  /** Time for which an export is kept, in milliseconds. */
  readonly keptMs: number;
};

const sourceNames: Readonly<Record<ExportSource['kind'], string>> = {
  validation_job: 'Validated addresses',
  saved_people: 'Saved people',
  saved_companies: 'Companies',
};

/**
 * Begins an export: counts the rows ahead of any work, and refuses more than one export takes. The same request under the
 * same key finds the export that the first one made. Throws what its source throws.
 */
export async function createExport(ports: CreateExportPorts, request: ExportRequest): Promise<CreateOutcome> {
  const exportId = request.keyHash ? exportIdOf(request.accountId, request.keyHash) : newId('export');
  const earlier = request.keyHash ? await ports.exports.findOf(request.accountId, exportId) : undefined;
  if (earlier) {
    return repeated(request, earlier);
  }
  // Looked at ahead of the source as well: a refusal should cost nobody anything.
  if ((await ports.exports.countUnderWay(request.accountId)) >= limits.activeExportsMax) {
    return { kind: 'tooMany' };
  }
  const page = await ports.sources.list(request.accountId, request.source, undefined);
  if (page.total > limits.exportRowsMax) {
    return { kind: 'tooLarge', rows: page.total };
  }
  if (page.total === 0) {
    return { kind: 'nothingToExport' };
  }
  await request.prepare?.(page.columns);
  await request.keepDestination?.(exportId);
  const outcome = await ports.exports.create(
    newExportOf(ports, request, { exportId, columns: page.columns, rowsTotal: page.total }),
    limits.activeExportsMax,
  );
  if (outcome.kind === 'tooMany') {
    await ports.delivery.forget(exportId);
    return outcome;
  }
  if (outcome.kind === 'repeated') {
    if (hasEnded(outcome.record)) {
      // It was quicker than this request, and has no use for what was kept just now.
      await ports.delivery.forget(exportId);
    }
    return repeated(request, outcome.record);
  }
  ports.events.exportBegun(outcome.record);
  return outcome;
}

function newExportOf(
  { now, keptMs }: CreateExportPorts,
  { accountId, userId, requestId, source, name, target, options }: ExportRequest,
  found: Pick<NewExport, 'exportId' | 'columns' | 'rowsTotal'>,
): NewExport {
  const createdAt = now();
  return {
    ...found,
    accountId,
    createdBy: userId,
    requestId,
    name: name ?? sourceNames[source.kind],
    source,
    target,
    options,
    createdAt,
    deletedAt: new Date(createdAt.getTime() + keptMs),
  };
}

function repeated({ source, name, target, options }: ExportRequest, record: Export): CreateOutcome {
  const asked = { source, target, options, name: name ?? sourceNames[source.kind] };
  const made = {
    source: record.source,
    target: record.target,
    options: record.options,
    name: record.name,
  };
  return isDeepStrictEqual(withoutUndefined(asked), made)
    ? { kind: 'repeated', record }
    : { kind: 'keyReused' };
}

/** As it comes back from the store, which keeps no member without a value. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The same for the same key. */
export function exportIdOf(accountId: AccountId, keyHash: Uint8Array): ExportId {
  const digest = createHash('sha256').update(accountId).update(keyHash).digest('hex');
  return `exp_${digest.slice(0, 32)}` as ExportId;
}
