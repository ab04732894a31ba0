import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '@mailproof/shared-types';
import { WorkbookFault } from './workbook-fault.ts';

/** Octets that are written at once: a client may send them one by one. */
const portionOctets = 65_536;

/**
 * Writes octets to a temporary file, because the directory of a ZIP archive is at its end. The file has no name from the
 * start, so that it is gone when the process is, however it ends.
 *
 * @param arrived called for each chunk
 * @throws WorkbookFault if there are too many octets
 */
export async function spool(
  octets: AsyncIterable<Uint8Array>,
  arrived: () => Promise<void>,
): Promise<{ readonly file: FileHandle; readonly octets: number }> {
  const path = join(tmpdir(), `mailproof-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    const portion = Buffer.allocUnsafe(portionOctets);
    let filled = 0;
    let length = 0;
    const write = async (chunk: Uint8Array) => {
      await file.appendFile(portion.subarray(0, filled));
      filled = 0;
      if (chunk.length >= portionOctets) {
        await file.appendFile(chunk);
      } else {
        portion.set(chunk);
        filled = chunk.length;
      }
    };
    for await (const chunk of octets) {
      length += chunk.length;
      if (length > limits.workbookBytesMax) {
        throw new WorkbookFault(
          'body_too_large',
          `A workbook can have at most ${limits.workbookBytesMax / 1_000_000} MB. Remove sheets and pictures, or save the sheet as CSV.`,
        );
      }
      if (filled + chunk.length <= portionOctets) {
        portion.set(chunk, filled);
        filled += chunk.length;
      } else {
        await write(chunk);
      }
      await arrived();
    }
    await write(new Uint8Array());
    return { file, octets: length };
  } catch (error) {
    await file.close();
    throw error;
  }
}
