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
import { type Crm, type RemoveResult, recordsPerCallMax } from '../crm.ts';
import type { ConnectedCrms } from '../crm-access.ts';
import { CrmFault, type CrmFaultKind } from '../crm-fault.ts';
import type { CrmPushEvents } from './crm-push-events.ts';
import { batchMsMax, pauseOfAway, pauseOfThrottled } from './push-trouble.ts';
import { identifyingValueOf, ownKeyOf, rowKeyOf } from './row-key.ts';
import type { CreatedRecord, UndoOutcome, UndoStore, UnsettledRow } from './undo-store.ts';

export interface UndoPorts {
  readonly undos: UndoStore;
  readonly connected: ConnectedCrms;
  readonly sources: Pick<RowSources, 'read'>;
  /** Whether a problem of a source says that its rows are gone. */
  readonly isSourceGone: (error: unknown) => boolean;
  readonly events: Pick<CrmPushEvents, 'undoBegun' | 'undoEnded'>;
  readonly now: () => Date;
}

export type UndoBegun =
  | { readonly kind: 'done'; readonly record: Export }
  | { readonly kind: 'not_found' | 'not_possible' };

/** Begins to take away what a push has created. One that goes on, or has nothing left to do, stays as it is. */
export async function beginUndo(
  { undos, events, now }: UndoPorts,
  accountId: AccountId,
  exportId: ExportId,
): Promise<UndoBegun> {
  const record = await undos.findOf(accountId, exportId);
  if (!record) {
    return { kind: 'not_found' };
  }
  if (record.target !== 'crm' || !hasEnded(record) || crmOptions.parse(record.options).dry_run === true) {
    return { kind: 'not_possible' };
  }
  const begun = await undos.begin(record, now());
  if (begun) {
    events.undoBegun(begun);
  }
  const after = begun ?? (await undos.findOf(accountId, exportId));
  return after ? { kind: 'done', record: after } : { kind: 'not_found' };
}

/** A CRM that is away, or makes us wait, is asked for so long, in milliseconds; then somebody has to ask again. */
const waitedMsMax = 86_400_000;

/** Who wrote the last batch of a push has written it, and noted what came of it, so long behind its end; in milliseconds. */
const settledMs = batchMsMax + 30_000;

const endings: Partial<Record<CrmFaultKind, ExportUndoFailure>> = {
  revoked: 'access_revoked',
  not_permitted: 'not_permitted',
  refused: 'could_not_continue',
  not_found: 'could_not_continue',
};

/**
 * Takes the next records away. Every step ends with one change in the store and can be repeated: what is gone already
 * counts as taken away. `more`: there is something left. `waits`: its job comes again. `ended`: there is nothing left.
 */
export async function advanceUndo(
  ports: UndoPorts,
  exportId: ExportId,
  /** How often in a row the CRM did not do it. */
  trouble: { awayInARow: number; throttledInARow: number },
  signal: AbortSignal,
): Promise<'more' | 'waits' | 'ended'> {
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
    // Their batch may still be on its way: looked for too early, they would be forgotten, and created then.
    await undos.wait(exportId, settlesInMs);
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
    trouble.awayInARow = 0;
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
    const forMs =
      error.kind === 'away' ? pauseOfAway(trouble) : pauseOfThrottled(error.kind, error.waitMs, trouble);
    await undos.wait(exportId, forMs);
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
 * Finds out whether records are there that a push was going to create when it died, by our key. Answers the rows that
 * nobody can say it of any more, since their source does not have them.
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

/** The key that the push gave the record of a row. */
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

/** So often may it go wrong, in a row, for reasons of our own. */
const faultsMax = 5;

/** Writes down that it went wrong, and lets it end when that has happened too often; what is merely away does not count. */
export async function noteUndoFault(ports: UndoPorts, exportId: ExportId, isAway: boolean): Promise<void> {
  const record = await ports.undos.find(exportId);
  if (record?.undo?.status !== 'running') {
    return;
  }
  const isTooLong = ports.now().getTime() - record.undo.begunAt.getTime() > waitedMsMax;
  if (isAway ? isTooLong : await ports.undos.noteFault(record.exportNo, faultsMax)) {
    await endUndo(ports, record, 'could_not_continue');
  }
}

/**
 * A record that is answered under another id has been merged with one that may have been there before: it is left alone.
 * One that is not there any more counts as taken away, and the CRM is not asked to take away what it may have become.
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
