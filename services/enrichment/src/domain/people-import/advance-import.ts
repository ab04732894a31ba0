import { type Advance, judgeFault, takeOver as takeOverWork, untilChanged } from '@mailproof/durable-work';
import { type AccountId, limits, type PeopleImportId, type SavedListId } from '@mailproof/shared-types';
import { type Mapping, missingFields } from '../import/mapping.ts';
import { noOutcomes } from './judge-rows.ts';
import { hasEnded, isInPass, type PeopleImport, type PeopleImportStore } from './people-import.ts';

export interface PeopleImportPorts {
  readonly imports: PeopleImportStore;
  readonly events: { peopleImportEnded(record: PeopleImport): void };
  readonly now: () => Date;
}

/** A pass over the rows of an import: counting what would change, or importing them. */
export interface PassRequest {
  readonly accountId: AccountId;
  readonly importId: PeopleImportId;
  readonly state: 'previewing' | 'importing';
  readonly mapping: Mapping | undefined;
  readonly listId: SavedListId | null;
}

export type PassOutcome =
  | { readonly kind: 'begun'; readonly record: PeopleImport }
  | { readonly kind: 'notFound' | 'notWaiting' | 'tooMany' | 'noList' }
  /** The mapping cannot be used; the text is for its author. */
  | { readonly kind: 'notValid'; readonly detail: string };

/** Begins a pass. An import that is in the same pass already, with the same mapping, is left as it is. */
export function beginPass(ports: PeopleImportPorts, request: PassRequest): Promise<PassOutcome> {
  const { imports, now } = ports;
  const { accountId, importId, state, listId } = request;
  return untilChanged(async (): Promise<PassOutcome | undefined> => {
    const record = await imports.findOf(accountId, importId);
    if (!record) {
      return { kind: 'notFound' };
    }
    const mapping = request.mapping ?? record.mapping ?? record.detected;
    if (record.state === state && record.listId === listId && isSame(mapping, record.mapping)) {
      return { kind: 'begun', record };
    }
    if (isInPass(record) || hasEnded(record)) {
      return { kind: 'notWaiting' };
    }
    const detail = mappingFault(record, mapping);
    if (detail !== undefined) {
      return { kind: 'notValid', detail };
    }
    const begun = await imports.begin(record, {
      state,
      mapping,
      listId,
      partsDone: 0,
      rowsDone: 0,
      outcomes: noOutcomes,
      failedAttempts: 0,
      movedAt: now(),
    });
    return begun && (typeof begun === 'string' ? { kind: begun } : { kind: 'begun', record: begun });
  });
}

function isSame(one: Mapping, other: Mapping | null): boolean {
  const inOrder = (mapping: Mapping) => JSON.stringify(Object.entries(mapping).sort());
  return other !== null && inOrder(one) === inOrder(other);
}

function mappingFault({ columns }: PeopleImport, mapping: Mapping): string | undefined {
  const used = new Set<string>();
  for (const name of Object.values(mapping)) {
    const column = columns.find(each => each.name === name);
    const shown = name.slice(0, 80);
    if (!column) {
      return `The file has no column “${shown}”.`;
    }
    if (column.holdsAddresses) {
      return `The column “${shown}” contains email addresses, which are never stored.`;
    }
    if (used.has(name)) {
      return `The column “${shown}” is mapped twice.`;
    }
    used.add(name);
  }
  const missing = missingFields('people', mapping);
  return missing.length > 0 ? `No column is mapped to ${missing.join(', nor to ')}.` : undefined;
}

/** Makes a worker the runner of an import, unless it is in no pass. */
export function takeOver(
  { imports }: Pick<PeopleImportPorts, 'imports'>,
  importId: PeopleImportId,
  runner: string,
) {
  return takeOverWork(imports, importId, runner, record => !isInPass(record));
}

/** Takes the next part, or ends the pass. Each step is one transaction, so an import that is killed resumes. */
export async function advanceImport(
  ports: PeopleImportPorts,
  importId: PeopleImportId,
  runner: string,
): Promise<Advance> {
  const { imports, now } = ports;
  const record = await imports.find(importId);
  if (!record || !isInPass(record)) {
    return 'ended';
  }
  if (record.runner !== runner) {
    return 'waits';
  }
  if (record.rowsDone < record.rowsTotal) {
    await imports.takePart(record, now());
    return 'more';
  }
  if (record.state === 'previewing') {
    const preview = record.outcomes;
    return (await imports.change(record, { state: 'previewed', preview, movedAt: now() })) ? 'ended' : 'more';
  }
  return (await end(ports, record, { state: 'succeeded' })) ? 'ended' : 'more';
}

/** Stops a preview or an import, or an upload that waits. People imported until then are kept. */
export function cancelImport(
  ports: PeopleImportPorts,
  accountId: AccountId,
  importId: PeopleImportId,
): Promise<PeopleImport | null> {
  return untilChanged(async () => {
    const record = (await ports.imports.findOf(accountId, importId)) ?? null;
    return record === null || hasEnded(record) ? record : end(ports, record, { state: 'cancelled' });
  });
}

/** Records that a step failed, and ends the import after too many failures or too long without progress. */
export async function noteImportFault(
  ports: PeopleImportPorts,
  importId: PeopleImportId,
  runner: string,
  isUnavailable: boolean,
): Promise<void> {
  const record = await ports.imports.find(importId);
  // Faults of a worker that has lost the import to another one do not count.
  if (!record || !isInPass(record) || record.runner !== runner) {
    return;
  }
  const judged = judgeFault(record, isUnavailable, ports.now());
  if (judged === 'count') {
    await ports.imports.change(record, { failedAttempts: record.failedAttempts + 1 });
  } else if (judged !== 'retry') {
    await end(ports, record, { state: 'failed', failure: 'could_not_continue' });
  }
}

async function end(
  { imports, events, now }: PeopleImportPorts,
  record: PeopleImport,
  change: Pick<PeopleImport, 'state'> & Partial<Pick<PeopleImport, 'failure'>>,
): Promise<PeopleImport | undefined> {
  const endedAt = now();
  const ended = await imports.change(record, {
    ...change,
    // What a preview has counted so far did not happen.
    ...(record.state !== 'importing' && { outcomes: noOutcomes, rowsDone: 0 }),
    movedAt: endedAt,
    endedAt,
    deletedAt: new Date(endedAt.getTime() + limits.peopleImportKeptMs),
  });
  if (ended) {
    events.peopleImportEnded(ended);
  }
  return ended;
}
