import type { ValidationJobId } from '@mailproof/shared-types';
import { type GivenLayout, openFile, type ReadRows } from './open-file.ts';
import { type JsonForm, openJson, type ReadJsonRecords } from './open-json.ts';
import { openList } from './open-list.ts';
import { openRecords } from './open-records.ts';
import { isArchive, type OpenSheet, openWorkbook } from './open-workbook.ts';
import type { Table } from './receive-list.ts';

/** Where the rows of a list come from. */
export type ListSource =
  | { readonly origin: 'file'; readonly octets: AsyncIterable<Uint8Array>; readonly given: GivenLayout }
  | { readonly origin: 'file'; readonly octets: AsyncIterable<Uint8Array>; readonly json: JsonForm }
  | { readonly origin: 'list'; readonly octets: AsyncIterable<Uint8Array> }
  | {
      readonly origin: 'crm';
      readonly octets: AsyncIterable<Uint8Array>;
      readonly addressColumn: number;
      /** Chosen by the sender, so that it can find the job if the answer is lost. */
      readonly jobId: ValidationJobId;
      /** The job of an earlier attempt, which is useless unless its import finished. */
      readonly replaces: ValidationJobId | undefined;
    };

/** One reader for each format. */
export interface TableReaders {
  readonly readRows: ReadRows;
  readonly readJsonRecords: ReadJsonRecords;
  readonly openSheet: OpenSheet;
}

/**
 * Opens what a client sends as rows: the one door of all formats. The media type says that a body is JSON. Of files,
 * the first octets decide, because browsers derive the media type from the name.
 *
 * @throws IntakeFault if the beginning cannot be read
 */
export async function openTable(
  source: ListSource,
  octets: AsyncIterable<Uint8Array>,
  readers: TableReaders & { readonly arrived: () => Promise<void> },
): Promise<Table> {
  switch (source.origin) {
    case 'file': {
      if ('json' in source) {
        return openJson(octets, source.json, readers.readJsonRecords);
      }
      const { head, all } = await peek(octets);
      return isArchive(head)
        ? openWorkbook(all, source.given, readers)
        : openFile(all, source.given, readers.readRows);
    }
    case 'list':
      return openList(octets);
    case 'crm':
      return openRecords(octets, source.addressColumn);
  }
}

const headOctets = 4;

/** Reads the first octets, and returns them and all octets. */
async function peek(
  octets: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly all: AsyncGenerator<Uint8Array> }> {
  const source = octets[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let head: Uint8Array = new Uint8Array();
  while (head.length < headOctets) {
    const next = await source.next();
    if (next.done) {
      break;
    }
    chunks.push(next.value);
    head = Buffer.concat([head, next.value.subarray(0, headOctets)]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
      for (let next = await source.next(); !next.done; next = await source.next()) {
        yield next.value;
      }
    } finally {
      await source.return?.();
    }
  }
  return { head, all: all() };
}
