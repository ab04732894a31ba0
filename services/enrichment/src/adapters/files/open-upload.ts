import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileEncoding } from '@mailproof/shared-types';
import { FileFault, type TableFileOptions } from '../../domain/import/table-file.ts';
import type { UploadedTable } from '../../domain/people-import/read-upload.ts';
import { openTable } from './open-table-file.ts';

const chunkBytes = 65_536;

/** An upload that has arrived. */
export interface Upload {
  readonly sha256: Buffer;
  open(options: TableFileOptions & { readonly encoding?: FileEncoding | undefined }): Promise<UploadedTable>;
  close(): Promise<void>;
}

/**
 * Writes an upload to a temporary file, because its encoding is known only at its end. The file has no name from the
 * start, so that it is gone when the process is, however it ends.
 */
export async function takeUpload(octets: AsyncIterable<Uint8Array>): Promise<Upload> {
  const path = join(tmpdir(), `mailproof-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of octets) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.appendFile(chunk);
    }
    if (bytes === 0) {
      throw new FileFault('The file is empty.');
    }
    const head = Buffer.alloc(4);
    await file.read(head, 0, head.length, 0);
    refuseArchives(head);
    return {
      sha256: hash.digest(),
      open: options => openUpload(file, head, options),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseArchives(head: Buffer): void {
  if (head[0] === 0x50 && head[1] === 0x4b) {
    throw new FileFault(
      'The file is an archive or a workbook. Save the sheet as CSV, or unpack the archive.',
    );
  }
  if (head[0] === 0x1f && head[1] === 0x8b) {
    throw new FileFault('The file is compressed. Unpack it first.');
  }
}

async function openUpload(
  file: FileHandle,
  head: Buffer,
  { delimiter, encoding: given }: Parameters<Upload['open']>[0],
): Promise<UploadedTable> {
  const encoding = given ?? markedEncoding(head) ?? ((await isUtf8(file)) ? 'utf-8' : 'windows-1252');
  const encodingIsGuess = given === undefined && encoding === 'windows-1252';
  return { ...(await openTable(octetsOf(file), { delimiter, encoding })), encoding, encodingIsGuess };
}

/** The encoding of a byte order mark. */
function markedEncoding(head: Buffer): FileEncoding | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) {
    return 'utf-8';
  }
  return head[0] === 0xff && head[1] === 0xfe
    ? 'utf-16le'
    : head[0] === 0xfe && head[1] === 0xff
      ? 'utf-16be'
      : undefined;
}

async function isUtf8(file: FileHandle): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of octetsOf(file)) {
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) {
      return false;
    }
    throw error;
  }
}

async function* octetsOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) {
      return;
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
