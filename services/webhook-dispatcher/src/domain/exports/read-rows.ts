import { type ExportedValue, type ExportRowState, limits } from '@mailproof/shared-types';
import type { Export, ExportRow } from './export.ts';
import type { ExportStore } from './export-store.ts';
import { inColumns, type RowSources } from './row-sources.ts';

/** A row of an export with what its source says of it now. */
export interface ReadRow {
  readonly row: ExportRow;
  readonly values: readonly ExportedValue[];
}

/**
 * Reads the rows of an export, page by page as they are taken. What the source does not have any more is left out, and
 * of a file it is counted as gone.
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
      // An export that is deleted meanwhile has no rows either: its reader must not take a part for the whole.
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
