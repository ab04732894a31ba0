import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { notReadable, WorkbookFault } from './workbook-fault.ts';

/** The parts of a workbook that can be read: XML files in a ZIP archive (ECMA-376 part 2). */
export interface Package {
  has(part: string): boolean;
  /**
   * Unpacks a part while it is read.
   *
   * @throws WorkbookFault if the part is missing, larger than `octetsMax`, or damaged
   */
  read(part: string, octetsMax: number): AsyncGenerator<Uint8Array>;
}

const partsMax = 5_000;
/** XML of real workbooks is packed to between a fifth and a fortieth; zeros to a thousandth. */
const ratioMax = 200;
const ratioFreeOctets = 4_000_000;

/** Opens the archive; unpacks nothing yet. */
export async function openPackage(file: FileHandle): Promise<Package> {
  const parts = await partsOf(await orDamaged(fromFdPromise(file.fd, { lazyEntries: true })));
  return {
    has: part => parts.has(keyOf(part)),
    async *read(part, octetsMax) {
      const found = parts.get(keyOf(part));
      if (!found) {
        throw notReadable(`The workbook is damaged: its part “${part}” is missing.`);
      }
      assertSmall(found.entry, octetsMax);
      const octets = await orDamaged(found.zip.openReadStreamPromise(found.entry));
      try {
        // The stream fails if it is longer than the directory says, so that the bounds above hold.
        yield* octets as AsyncIterable<Uint8Array>;
      } catch (error) {
        throw damaged(error);
      } finally {
        octets.destroy();
      }
    },
  };
}

interface Part {
  readonly zip: ZipFile;
  readonly entry: Entry;
}

async function partsOf(zip: ZipFile): Promise<Map<string, Part>> {
  if (zip.entryCount > partsMax) {
    throw notReadable(
      `The workbook has ${zip.entryCount} parts; the limit is ${partsMax}. Copy the sheet to a new workbook.`,
    );
  }
  const parts = new Map<string, Part>();
  try {
    for await (const entry of zip.eachEntry()) {
      // Pictures and macros are never unpacked.
      if (/\.(?:xml|rels|bin)$/i.test(entry.fileName)) {
        parts.set(keyOf(entry.fileName), { zip, entry });
      }
    }
  } catch (error) {
    throw damaged(error);
  }
  return parts;
}

/** Names of parts are compared without regard to case (ECMA-376 part 2, section 6.2.2). */
function keyOf(part: string): string {
  return part.replace(/^\/+/, '').toLowerCase();
}

function assertSmall(entry: Entry, octetsMax: number): void {
  const { fileName, uncompressedSize, compressedSize } = entry;
  if (entry.isEncrypted()) {
    throw notReadable('The file has a password: remove it, and upload the file again.');
  }
  if (uncompressedSize > octetsMax) {
    throw notReadable(
      `The part “${fileName}” of the workbook has ${uncompressedSize} octets; the limit is ${octetsMax}. Split the sheet, or save it as CSV.`,
    );
  }
  if (uncompressedSize > ratioFreeOctets && uncompressedSize > compressedSize * ratioMax) {
    throw notReadable(
      `The part “${fileName}” of the workbook unpacks to more than ${ratioMax} times its size, like a ZIP bomb. Save the sheet as CSV.`,
    );
  }
}

async function orDamaged<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw damaged(error);
  }
}

function damaged(error: unknown): WorkbookFault {
  return error instanceof WorkbookFault
    ? error
    : notReadable('The workbook is damaged or cut off: its ZIP archive cannot be read.', { cause: error });
}
