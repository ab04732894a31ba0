import { type Advance, judgeFault } from '@mailproof/durable-work';
import {
  type AccountId,
  crmOptions,
  type ExportedValue,
  type ExportId,
  type ExportUndoFailure,
  writeCrmRowFault,
} from '@mailproof/shared-types';
import { type Export, hasEnded } from '../../exports/export.ts';
import type { RowSources } from '../../exports/row-sources.ts';
import {
  type ConnectedCrms,
  type Crm,
  CrmFault,
  type CrmFaultKind,
  type RemoveResult,
  recordsPerCallMax,
} from '../crm.ts';
import type { CreatedRecord, CrmPushEvents, UndoOutcome, UndoStore, UnsettledRow } from './push-ports.ts';
import { batchMsMax, pauseOfAway, pauseOfThrottled } from './push-trouble.ts';
import { identifyingValueOf, ownKeyOf, rowKeyOf } from './row-key.ts';

export interface UndoPorts {
  readonly undos: UndoStore;
  readonly connected: ConnectedCrms;
  readonly sources: Pick<RowSources, 'read'>;
  /** Whether an error of a source means that its rows are gone. */
  readonly isSourceGone: (error: unknown) => boolean;
  readonly events: Pick<CrmPushEvents, 'undoStarted' | 'undoEnded'>;
  readonly now: () => Date;
}

export type UndoStarted =
  | { readonly kind: 'done'; readonly record: Export }
  | { readonly kind: 'not_found' | 'not_possible' };

/**
 * Starts to remove the records that a push has created. An undo that is running, or has nothing left to do, stays as it
 * is.
 */
export async function beginUndo(
  { undos, events, now }: UndoPorts,
  accountId: AccountId,
  exportId: ExportId,
): Promise<UndoStarted> {
  const record = await undos.findOf(accountId, exportId);
  if (!record) {
    return { kind: 'not_found' };
  }
  if (record.target !== 'crm' || !hasEnded(record) || crmOptions.parse(record.options).dry_run === true) {
    return { kind: 'not_possible' };
  }
  const started = await undos.begin(record, now());
  if (started) {
    events.undoStarted(started);
  }
  const after = started ?? (await undos.findOf(accountId, exportId));
  return after ? { kind: 'done', record: after } : { kind: 'not_found' };
}

/**
 * How long an unavailable or throttling CRM is retried, in milliseconds; after that a user has to start the undo again.
 */
const waitedMsMax = 86_400_000;

/** The time after which the worker of a push's last batch has recorded its result, in milliseconds. */
const settledMs = batchMsMax + 30_000;

const endings: Partial<Record<CrmFaultKind, ExportUndoFailure>> = {
  revoked: 'access_revoked',
  not_permitted: 'not_permitted',
  refused: 'could_not_continue',
  not_found: 'could_not_continue',
};

/**
 * Removes the next records. Every step ends with one change in the store and can be repeated: a record that is already
 * gone counts as removed.
 */
export async function advanceUndo(
  ports: UndoPorts,
  exportId: ExportId,
  /** How many times in a row the CRM was unavailable or throttled us. */
  trouble: { unavailableInARow: number; throttledInARow: number },
  signal: AbortSignal,
): Promise<Advance> {
  const { undos, connected, now } = ports;
  const record = await undos.find(exportId);
  if (record?.undo?.status !== 'running') {
    return 'ended';
  }
  const unsettled = await undos.unsettled(record.exportNo, recordsPerCallMax);
  const created = unsettled.length > 0 ? [] : await undos.next(record.exportNo, recordsPerCallMax);
  if (unsettled.length === 0 && created.length === 0) {
    return endUndo(ports, record, null);
  }
  const settlesInMs = (record.endedAt?.getTime() ?? 0) + settledMs - now().getTime();
  if (unsettled.length > 0 && settlesInMs > 0) {
    // Their batch may still be in flight: a lookup now could miss a record that is created later.
    await undos.enqueue(exportId, { waitMs: settlesInMs });
    return 'waits';
  }
  const { connection_id: connectionId, object } = crmOptions.parse(record.options);
  const crm = await connected.open(record.accountId, connectionId);
  if (!crm) {
    return endUndo(ports, record, 'connection_gone');
  }
  try {
    const outcomes =
      unsettled.length > 0
        ? await settleRows(ports, record, { crm, unsettled }, signal)
        : await removeRecords(crm, object, created, signal);
    await undos.record(record.exportNo, outcomes, now());
    trouble.unavailableInARow = 0;
    trouble.throttledInARow = 0;
    return 'more';
  } catch (error) {
    if (!(error instanceof CrmFault)) {
      throw error;
    }
    const failure = endings[error.kind];
    if (failure) {
      return endUndo(ports, record, failure);
    }
    if (now().getTime() - record.undo.begunAt.getTime() > waitedMsMax) {
      return endUndo(ports, record, 'could_not_continue');
    }
    const waitMs =
      error.kind === 'away' ? pauseOfAway(trouble) : pauseOfThrottled(error.kind, error.waitMs, trouble);
    await undos.enqueue(exportId, { waitMs });
    return 'waits';
  }
}

async function endUndo(
  { undos, events, now }: Pick<UndoPorts, 'undos' | 'events' | 'now'>,
  { exportNo }: Export,
  failure: ExportUndoFailure | null,
): Promise<'ended'> {
  const ended = await undos.end(exportNo, failure, now());
  if (ended) {
    events.undoEnded(ended);
  }
  return 'ended';
}

/**
 * Looks up by our key whether records exist that a push was about to create when it died. Returns the rows for which
 * this is unknown because their source no longer has them.
 */
async function settleRows(
  { undos, sources, isSourceGone, now }: UndoPorts,
  record: Export,
  { crm, unsettled }: { readonly crm: Crm; readonly unsettled: readonly UnsettledRow[] },
  signal: AbortSignal,
): Promise<UndoOutcome[]> {
  const keys = unsettled.map(({ recordKey }) => recordKey);
  const page = await sources.read(record.accountId, record.source, keys, signal).catch(error => {
    if (isSourceGone(error)) {
      return { columns: [], rows: [], keysRead: keys.length };
    }
    throw error;
  });
  const read = new Map(page.rows.map(row => [row.key, row.values]));
  const looked = unsettled.slice(0, page.keysRead).map(({ rowNo, recordKey }) => {
    const values = read.get(recordKey);
    return { rowNo, ownKey: values && ownKeyOfRow(record, crm, { columns: page.columns, values }) };
  });
  const ownKeys = [...new Set(looked.flatMap(({ ownKey }) => ownKey ?? []))];
  const { object } = crmOptions.parse(record.options);
  const found = ownKeys.length > 0 ? await crm.find(object, 'own_key', ownKeys, [], signal) : [];
  const byKey = new Map(found.map(({ foundBy, recordId }) => [foundBy, recordId]));
  const known = looked.flatMap(({ rowNo, ownKey }) =>
    ownKey === undefined ? [] : [{ rowNo, recordId: byKey.get(ownKey) ?? null }],
  );
  await undos.settle(record.exportNo, known, now());
  return looked
    .filter(({ ownKey }) => ownKey === undefined)
    .map(({ rowNo }) => ({ rowNo, undone: 'failed', fault: 'crm_no_key' }));
}

/** The key that the push assigned to the record of a row. */
function ownKeyOfRow(
  record: Export,
  crm: Crm,
  { columns, values }: { readonly columns: readonly string[]; readonly values: readonly ExportedValue[] },
): string | undefined {
  const { object, fields } = crmOptions.parse(record.options);
  const cellOf = (column: string) => values[columns.indexOf(column)];
  const identifying = crm.identifyingProperty(object);
  const field = fields.find(({ property }) => property === identifying?.property);
  const value = identifying && field && identifyingValueOf(cellOf(field.column), identifying);
  const key = rowKeyOf(record.source, object);
  return key && ownKeyOf(key, cellOf, value);
}

/** Records that a step failed, and ends the undo after too many failures or too long without progress. */
export async function noteUndoFault(
  ports: UndoPorts,
  exportId: ExportId,
  isUnavailable: boolean,
): Promise<void> {
  const record = await ports.undos.find(exportId);
  if (record?.undo?.status !== 'running') {
    return;
  }
  const { failedAttempts, begunAt: movedAt } = record.undo;
  const judged = judgeFault({ failedAttempts, movedAt }, isUnavailable, ports.now());
  if (judged === 'count') {
    await ports.undos.noteFault(record.exportNo);
  } else if (judged !== 'retry') {
    await endUndo(ports, record, 'could_not_continue');
  }
}

/**
 * Removes created records. A record that is returned with another id has been merged with a record that may be older,
 * so it is left alone. A record that no longer exists counts as removed, and no removal is requested for it.
 */
async function removeRecords(
  crm: Crm,
  object: Parameters<Crm['remove']>[0],
  created: readonly CreatedRecord[],
  signal: AbortSignal,
): Promise<UndoOutcome[]> {
  const ids = created.map(({ recordId }) => recordId);
  const found = await crm.find(object, 'record_id', ids, [], signal);
  const there = new Set(found.map(({ foundBy }) => foundBy));
  const merged = new Set(
    found.filter(({ recordId, foundBy }) => recordId !== foundBy).map(({ foundBy }) => foundBy),
  );
  const toRemove = [...new Set(ids)].filter(id => there.has(id) && !merged.has(id));
  const results = toRemove.length > 0 ? await crm.remove(object, toRemove, signal) : [];
  const byId = new Map<string, RemoveResult>(results.map(result => [result.recordId, result]));
  return created.flatMap(({ rowNo, recordId }): UndoOutcome[] => {
    if (merged.has(recordId)) {
      return [{ rowNo, undone: 'failed', fault: 'crm_merged' }];
    }
    if (!there.has(recordId)) {
      return [{ rowNo, undone: 'removed', fault: null }];
    }
    const result = byId.get(recordId);
    if (!result) {
      return [{ rowNo, undone: 'failed', fault: 'crm_refused' }];
    }
    return result.outcome === 'removed'
      ? [{ rowNo, undone: 'removed', fault: null }]
      : [
          {
            rowNo,
            undone: 'failed',
            fault: writeCrmRowFault(`crm_${result.fault.code}`, result.fault.property),
          },
        ];
  });
}
