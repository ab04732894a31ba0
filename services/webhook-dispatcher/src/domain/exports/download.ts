import { type AccountId, type ExportedValue, type ExportRowState, limits } from '@mailproof/shared-types';
import type { Export, ExportRow } from './export.ts';
import type { ExportStore } from './export-ports.ts';
import { inColumns, type RowSources } from './row-sources.ts';

/** The clock of a download; tests replace it. */
export interface DownloadClock {
  nowMs(): number;
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
}

export interface DownloadPorts {
  readonly exports: ExportStore;
  readonly sources: RowSources;
  /** Whether an error means that a store or a service is not there, so that waiting for it makes sense. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly clock: DownloadClock;
}

/**
 * How long a page is read again while its store or its service restarts, in milliseconds. With the deadline of the last
 * read it is less than the 60 s of silence after which the gateway and most proxies break a connection.
 */
const readAgainMsMax = 45_000;
const [waitMsMin, waitMsMax] = [250, 2_000] as const;

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
  /** Its number in the list of a validation job. */
  readonly number: number | undefined;
  readonly values: readonly ExportedValue[];
}

/**
 * Reads the rows of an export page by page, as they are consumed. Rows that the source no longer has are left out;
 * delivered ones are counted as gone. While a store or a service restarts, the page is read again, but for the first one,
 * whose failure the reader is told at once.
 *
 * @throws what a page that cannot be read threw last, so that the reader never takes a part for the whole
 */
export async function* readRows(
  ports: DownloadPorts,
  record: Export,
  state: ExportRowState,
  signal: AbortSignal,
): AsyncGenerator<ReadRow[]> {
  for (let afterRowNo = 0; ; ) {
    signal.throwIfAborted();
    const at = afterRowNo;
    const read = () => readPage(ports, record, { state, afterRowNo: at }, signal);
    const page = await (at === 0 ? read() : untilRead(read, ports, signal));
    if (page === undefined) {
      return;
    }
    yield page.rows;
    afterRowNo = page.lastRowNo ?? afterRowNo;
  }
}

/** Reads a page until its store and its service are there. */
async function untilRead<Page>(
  read: () => Promise<Page>,
  { isUnavailable, clock }: Pick<DownloadPorts, 'isUnavailable' | 'clock'>,
  signal: AbortSignal,
): Promise<Page> {
  const endsAt = clock.nowMs() + readAgainMsMax;
  for (let waitMs: number = waitMsMin; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || !isUnavailable(error) || clock.nowMs() + waitMs >= endsAt) {
        throw error;
      }
      await clock.wait(waitMs, signal);
    }
  }
}

/** Undefined after the last row. */
async function readPage(
  { exports, sources }: DownloadPorts,
  record: Export,
  from: { readonly state: ExportRowState; readonly afterRowNo: number },
  signal: AbortSignal,
): Promise<{ readonly rows: ReadRow[]; readonly lastRowNo: number | undefined } | undefined> {
  const rows = await exports.listRows(record.exportNo, { ...from, limit: limits.exportRowsPerReadMax });
  if (rows.length === 0) {
    // An export that was deleted meanwhile has no more rows either; its reader must not mistake a part for the whole.
    if (!(await exports.find(record.exportId))) {
      throw new Error(`Export ${record.exportId} was deleted while its rows were read.`);
    }
    return undefined;
  }
  const keys = rows.map(({ recordKey }) => recordKey);
  const page = await sources.read(record.accountId, record.source, keys, signal);
  const arrange = inColumns(page, record.columns);
  const read = new Map(page.rows.map(row => [row.key, row]));
  const looked = rows.slice(0, page.keysRead);
  const gone = looked.filter(({ recordKey }) => !read.has(recordKey));
  if (gone.length > 0 && from.state === 'delivered') {
    await exports.recordGone(
      record.exportNo,
      gone.map(({ rowNo }) => rowNo),
    );
  }
  return {
    rows: looked.flatMap(row => {
      const found = read.get(row.recordKey);
      return found ? [{ row, number: found.number, values: arrange(found.values) }] : [];
    }),
    lastRowNo: looked.at(-1)?.rowNo,
  };
}
