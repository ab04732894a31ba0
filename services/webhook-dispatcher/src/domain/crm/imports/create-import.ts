import { isDeepStrictEqual } from 'node:util';
import { idOfKey } from '@mailproof/durable-work';
import {
  type AccountId,
  type CreatorId,
  type CrmConnectionId,
  type CrmImportId,
  type CrmObject,
  type CrmProperty,
  type CrmProvider,
  crmRecordIdColumn,
  limits,
  newId,
  objectsOfCrm,
  type RequestId,
  type SavedListId,
} from '@mailproof/shared-types';
import { type Crm, CrmFault } from '../crm.ts';
import { propertyIssue } from '../push/mapping-faults.ts';
import { type CrmImport, type ImportRequest, recordsMaxOf, selectionOf } from './crm-import.ts';
import type { ImportPorts, NewImport } from './import-ports.ts';

export interface ImportInput {
  readonly accountId: AccountId;
  readonly creatorId: CreatorId;
  readonly requestId: RequestId;
  /** The hash of the `Idempotency-Key`, if there is one. */
  readonly keyHash: Uint8Array | null;
  readonly connectionId: CrmConnectionId;
  readonly name: string | undefined;
  readonly request: ImportRequest;
}

export type CreateImportOutcome =
  | { readonly kind: 'created' | 'repeated'; readonly record: CrmImport }
  | { readonly kind: 'keyReused' | 'tooMany' | 'noConnection' | 'nothingToImport' | 'noSuchSegment' }
  | { readonly kind: 'noSuchList' | 'listOfPeople' }
  | { readonly kind: 'notValid'; readonly faults: readonly SelectionFault[] }
  | { readonly kind: 'tooLarge'; readonly recordsMax: number };

type CreateImportPorts = Pick<ImportPorts, 'imports' | 'connected' | 'lists' | 'events' | 'now'> & {
  /** How long an import is kept, in milliseconds. */
  readonly keptMs: number;
};

/**
 * Starts an import: checks every property and counts the records before any work. The same request with the same key
 * finds the import that the first one created. Throws `CrmFault` if the CRM does not answer.
 */
export async function createImport(
  ports: CreateImportPorts,
  wanted: ImportInput,
  signal: AbortSignal,
): Promise<CreateImportOutcome> {
  const { accountId, request } = wanted;
  const importId = wanted.keyHash ? idOfKey('crmImport', accountId, wanted.keyHash) : newId('crmImport');
  const earlier = wanted.keyHash ? await ports.imports.findOf(accountId, importId) : undefined;
  if (earlier) {
    return repeated(wanted, earlier);
  }
  // Also checked before the CRM is called, so that a refusal costs nothing.
  if ((await ports.imports.countActive(accountId)) >= limits.activeCrmImportsMax) {
    return { kind: 'tooMany' };
  }
  const crm = await ports.connected.open(accountId, wanted.connectionId);
  if (!crm) {
    return { kind: 'noConnection' };
  }
  const unfit = request.list_id && (await checkList(ports, wanted, importId, request.list_id, signal));
  if (unfit) {
    return unfit;
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
    ports.events.importStarted(stored.record);
  }
  return stored;
}

/** Undefined if companies can be added to the list. */
async function checkList(
  { lists }: Pick<ImportPorts, 'lists'>,
  { accountId }: ImportInput,
  importId: CrmImportId,
  listId: SavedListId,
  signal: AbortSignal,
): Promise<CreateImportOutcome | undefined> {
  const { kind } = await lists.add({ accountId, listId, importId }, [], signal);
  switch (kind) {
    case 'gone':
      return { kind: 'noSuchList' };
    case 'ofPeople':
      return { kind: 'listOfPeople' };
    default:
      return undefined;
  }
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

/** Undefined if the segment does not exist; the properties exist, since they have just been checked. */
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
  wanted: ImportInput,
  importId: CrmImportId,
  { records, known }: Extract<Looked, { kind: 'fits' }>,
): NewImport {
  const labels = new Map(known.map(({ name, label }) => [name, label]));
  const createdAt = now();
  return {
    importId,
    accountId: wanted.accountId,
    createdBy: wanted.creatorId,
    requestId: wanted.requestId,
    connectionId: wanted.connectionId,
    name: nameOf(wanted),
    request: wanted.request,
    // The labels of the properties; a property without a label has its name.
    columns: [crmRecordIdColumn, ...wanted.request.properties.map(name => labels.get(name)?.trim() || name)],
    recordsTotal: records,
    createdAt,
    deletedAt: new Date(createdAt.getTime() + keptMs),
  };
}

function repeated(wanted: ImportInput, record: CrmImport): CreateImportOutcome {
  const { connectionId, request } = wanted;
  const asked = { connectionId, request: withoutUndefined(request), name: nameOf(wanted) };
  const made = { connectionId: record.connectionId, request: record.request, name: record.name };
  return isDeepStrictEqual(asked, made) ? { kind: 'repeated', record } : { kind: 'keyReused' };
}

const objectNames = { contact: 'Contacts', company: 'Companies', lead: 'Leads' } as const;

function nameOf({ name, request }: ImportInput): string {
  return name ?? `${objectNames[request.object]} from a CRM`;
}

/** Returns the value as the store returns it, which drops undefined members. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A fault of a request: where in its body, and a sentence that explains it. */
interface SelectionFault {
  readonly pointer: string;
  readonly detail: string;
}

function checkObject(provider: CrmProvider, object: CrmObject): SelectionFault[] {
  return objectsOfCrm[provider].includes(object)
    ? []
    : [
        {
          pointer: '/object',
          detail: `This CRM does not have ${object}; it has ${objectsOfCrm[provider].join(', ')}.`,
        },
      ];
}

/** Checks every property that a request names, and whether results can be written back. */
function checkSelection(
  { properties, address_property, selection, write_back }: ImportRequest,
  known: readonly CrmProperty[],
): SelectionFault[] {
  const byName = new Map(known.map(property => [property.name, property]));
  const unknown = (name: string, pointer: string): SelectionFault[] =>
    byName.has(name) ? [] : [{ pointer, detail: `Property “${name}” does not exist.` }];
  return [
    ...properties.flatMap((name, at) => unknown(name, `/properties/${at}`)),
    ...unknown(address_property, '/address_property'),
    ...(selection.filters ?? []).flatMap(({ property }, at) =>
      unknown(property, `/selection/filters/${at}/property`),
    ),
    // The same check as for the export that will write results back.
    ...(write_back?.fields ?? []).flatMap(({ property }, at) =>
      propertyIssue(byName.get(property), property).map(detail => ({
        pointer: `/write_back/fields/${at}/property`,
        detail,
      })),
    ),
  ];
}
