import { type AccountId, type ExportedValue, type ExportRowState, limits } from '@mailproof/shared-types';
import type { Export, ExportRow } from './export.ts';
import type { ExportStore } from './export-ports.ts';
import { inColumns, type RowSources } from './row-sources.ts';

/** Limits concurrent downloads: each holds a page of rows in memory until its reader has consumed it. */
export interface DownloadSlots {
  /** Takes a slot and returns the function that frees it, or the limit that has been reached. */
  enter(accountId: AccountId): (() => void) | 'taken_by_account' | 'all_taken';
}

export function createDownloadSlots(slotsMax: number, perAccountMax: number): DownloadSlots {
  const reading = new Map<AccountId, number>();
  let taken = 0;
  return {
    enter(accountId) {
      const own = reading.get(accountId) ?? 0;
      if (own >= perAccountMax) {
        return 'taken_by_account';
      }
      if (taken >= slotsMax) {
        return 'all_taken';
      }
      reading.set(accountId, own + 1);
      taken += 1;
      let isIn = true;
      return () => {
        if (!isIn) {
          return;
        }
        isIn = false;
        taken -= 1;
        const left = (reading.get(accountId) ?? 1) - 1;
        if (left === 0) {
          reading.delete(accountId);
        } else {
          reading.set(accountId, left);
        }
      };
    },
  };
}

/** A row of an export with its current values from the source. */
interface ReadRow {
  readonly row: ExportRow;
  readonly values: readonly ExportedValue[];
}

/**
 * Reads the rows of an export page by page, as they are consumed. Rows that the source no longer has are left out;
 * delivered ones are counted as gone.
 */
export async function* readRows(
  { exports, sources }: { readonly exports: ExportStore; readonly sources: RowSources },
  record: Export,
  state: ExportRowState,
  signal: AbortSignal,
): AsyncGenerator<ReadRow[]> {
  for (let afterRowNo = 0; ; ) {
    signal.throwIfAborted();
    const rows = await exports.listRows(record.exportNo, {
      state,
      afterRowNo,
      limit: limits.exportRowsPerReadMax,
    });
    if (rows.length === 0) {
      // An export that was deleted meanwhile has no more rows either; its reader must not mistake a part for the whole.
      if (!(await exports.find(record.exportId))) {
        throw new Error(`Export ${record.exportId} was deleted while its rows were read.`);
      }
      return;
    }
    const keys = rows.map(({ recordKey }) => recordKey);
    const page = await sources.read(record.accountId, record.source, keys, signal);
    const arrange = inColumns(page, record.columns);
    const values = new Map(page.rows.map(row => [row.key, arrange(row.values)]));
    const looked = rows.slice(0, page.keysRead);
    const gone = looked.filter(({ recordKey }) => !values.has(recordKey));
    if (gone.length > 0 && state === 'delivered') {
      await exports.recordGone(
        record.exportNo,
        gone.map(({ rowNo }) => rowNo),
      );
    }
    yield looked.flatMap(row => {
      const found = values.get(row.recordKey);
      return found ? [{ row, values: found }] : [];
    });
    afterRowNo = looked.at(-1)?.rowNo ?? afterRowNo;
  }
}
