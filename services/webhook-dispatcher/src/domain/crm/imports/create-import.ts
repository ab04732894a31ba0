import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  type CrmConnectionId,
  type CrmImportId,
  type CrmProperty,
  crmRecordIdColumn,
  limits,
  newId,
  type RequestId,
  type UserId,
} from '@mailproof/shared-types';
import type { Crm } from '../crm.ts';
import { CrmFault } from '../crm-fault.ts';
import { checkObject, checkSelection, type SelectionFault } from './check-selection.ts';
import type { CrmImport, ImportRequest } from './crm-import.ts';
import type { ImportPorts } from './import-ports.ts';
import { recordsMaxOf, selectionOf } from './import-selection.ts';
import type { NewImport } from './import-store.ts';

export interface WantedImport {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly requestId: RequestId;
  /** Of the `Idempotency-Key`, where there is one. */
  readonly keyHash: Uint8Array | null;
  readonly connectionId: CrmConnectionId;
  readonly name: string | undefined;
  readonly request: ImportRequest;
}

export type CreateImportOutcome =
  | { readonly kind: 'created' | 'repeated'; readonly record: CrmImport }
  | { readonly kind: 'keyReused' | 'tooMany' | 'noConnection' | 'nothingToImport' | 'noSuchSegment' }
  | { readonly kind: 'notValid'; readonly faults: readonly SelectionFault[] }
  | { readonly kind: 'tooLarge'; readonly recordsMax: number };

export type CreateImportPorts = Pick<ImportPorts, 'imports' | 'connected' | 'events' | 'now'> & {
  /** Time for which an import is kept, in milliseconds. */
  readonly keptMs: number;
};

/**
 * Begins an import: looks every property up and counts the records ahead of any work. The same request under the same key
 * finds the import that the first one made. Throws `CrmFault` where the CRM does not answer these questions.
 */
export async function createImport(
  ports: CreateImportPorts,
  wanted: WantedImport,
  signal: AbortSignal,
): Promise<CreateImportOutcome> {
  const { accountId, request } = wanted;
  const importId = wanted.keyHash ? importIdOf(accountId, wanted.keyHash) : newId('crmImport');
  const earlier = wanted.keyHash ? await ports.imports.findOf(accountId, importId) : undefined;
  if (earlier) {
    return repeated(wanted, earlier);
  }
  // Looked at ahead of the CRM as well: a refusal should cost nobody anything.
  if ((await ports.imports.countReading(accountId)) >= limits.activeCrmImportsMax) {
    return { kind: 'tooMany' };
  }
  const crm = await ports.connected.open(accountId, wanted.connectionId);
  if (!crm) {
    return { kind: 'noConnection' };
  }
  const looked = await lookAtCrm(crm, request, signal);
  if (looked.kind !== 'fits') {
    return looked;
  }
  const record = newImportOf(ports, wanted, importId, looked);
  const stored = await ports.imports.create(record, limits.activeCrmImportsMax);
  if (stored.kind === 'repeated') {
    return repeated(wanted, stored.record);
  }
  if (stored.kind === 'created') {
    ports.events.importBegun(stored.record);
  }
  return stored;
}

type Looked =
  | { readonly kind: 'fits'; readonly records: number; readonly known: readonly CrmProperty[] }
  | { readonly kind: 'nothingToImport' | 'noSuchSegment' }
  | Extract<CreateImportOutcome, { kind: 'notValid' | 'tooLarge' }>;

async function lookAtCrm(crm: Crm, request: ImportRequest, signal: AbortSignal): Promise<Looked> {
  const unfit = checkObject(crm.provider, request.object);
  if (unfit.length > 0) {
    return { kind: 'notValid', faults: unfit };
  }
  const known = await crm.properties(request.object, signal);
  const faults = checkSelection(request, known);
  if (faults.length > 0) {
    return { kind: 'notValid', faults };
  }
  const records = await countIn(crm, request, signal);
  if (records === undefined) {
    return { kind: 'noSuchSegment' };
  }
  const recordsMax = recordsMaxOf(request);
  if (records > recordsMax) {
    return { kind: 'tooLarge', recordsMax };
  }
  return records === 0 ? { kind: 'nothingToImport' } : { kind: 'fits', records, known };
}

/** Undefined where the segment is not there; every property is, since it has just been looked up. */
async function countIn(crm: Crm, request: ImportRequest, signal: AbortSignal): Promise<number | undefined> {
  try {
    return await crm.count(request.object, selectionOf(request), signal);
  } catch (error) {
    if (error instanceof CrmFault && error.kind === 'not_found') {
      return undefined;
    }
    throw error;
  }
}

function newImportOf(
  { now, keptMs }: CreateImportPorts,
  wanted: WantedImport,
  importId: CrmImportId,
  { records, known }: Extract<Looked, { kind: 'fits' }>,
): NewImport {
  const labels = new Map(known.map(({ name, label }) => [name, label]));
  const createdAt = now();
  return {
    importId,
    accountId: wanted.accountId,
    createdBy: wanted.userId,
    requestId: wanted.requestId,
    connectionId: wanted.connectionId,
    name: nameOf(wanted),
    request: wanted.request,
    // What people call them; a property without a label has its name.
    columns: [crmRecordIdColumn, ...wanted.request.properties.map(name => labels.get(name)?.trim() || name)],
    recordsTotal: records,
    createdAt,
    deletedAt: new Date(createdAt.getTime() + keptMs),
  };
}

function repeated(wanted: WantedImport, record: CrmImport): CreateImportOutcome {
  const { connectionId, request } = wanted;
  const asked = { connectionId, request: withoutUndefined(request), name: nameOf(wanted) };
  const made = { connectionId: record.connectionId, request: record.request, name: record.name };
  return isDeepStrictEqual(asked, made) ? { kind: 'repeated', record } : { kind: 'keyReused' };
}

const objectNames = { contact: 'Contacts', company: 'Companies', lead: 'Leads' } as const;

function nameOf({ name, request }: WantedImport): string {
  return name ?? `${objectNames[request.object]} of a CRM`;
}

/** As it comes back from the store, which keeps no member without a value. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The same for the same key. */
function importIdOf(accountId: AccountId, keyHash: Uint8Array): CrmImportId {
  const digest = createHash('sha256').update(accountId).update(keyHash).digest('hex');
  return `crmimp_${digest.slice(0, 32)}` as CrmImportId;
}
