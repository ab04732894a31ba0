import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { spool } from '@mailproof/service-kit/workbook';
import type { FileEncoding } from '@mailproof/shared-types';
import { FileFault, type TableFileOptions } from '../../domain/import/table-file.ts';
import type { UploadedTable } from '../../domain/people-import/read-upload.ts';
import { openTable } from './open-table-file.ts';
import { type OpenedWorkbook, openWorkbook } from './open-workbook.ts';

const chunkBytes = 65_536;
/** The first octets of a compound file (MS-CFB section 2.2), in which Office keeps old and encrypted documents. */
const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/** An upload that has arrived. */
export interface Upload {
  readonly sha256: Buffer;
  open(options: TableFileOptions & { readonly encoding?: FileEncoding | undefined }): Promise<UploadedTable>;
  close(): Promise<void>;
}

/** Receives an upload into a temporary file without a name, because its encoding is known only at its end. */
export async function takeUpload(octets: AsyncIterable<Uint8Array>): Promise<Upload> {
  const hash = createHash('sha256');
  const { file, octets: bytes } = await spool(hashed(octets, hash), nothing);
  try {
    const head = Buffer.alloc(4);
    await file.read(head, 0, head.length, 0);
    if (bytes === 0) {
      throw new FileFault('The file is empty.');
    }
    if (head[0] === 0x1f && head[1] === 0x8b) {
      throw new FileFault('The file is compressed. Unpack it first.');
    }
    if (head.equals(compoundFile)) {
      throw new FileFault(
        'The file is an Excel workbook in the format before 2007 (.xls), or has a password. Save it as .xlsx or CSV, without a password.',
      );
    }
    let workbook: OpenedWorkbook | undefined;
    return {
      sha256: hash.digest(),
      async open(options) {
        if (!isWorkbook(head)) {
          return openUpload(file, head, options);
        }
        if (options.delimiter !== undefined || options.encoding !== undefined) {
          throw new FileFault(
            'The file is a workbook: leave out the delimiter and the encoding, which are for CSV.',
          );
        }
        workbook = await openWorkbook(octetsOf(file));
        return { ...workbook, encoding: 'utf-8', encodingIsGuess: false };
      },
      async close() {
        await workbook?.close();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const nothing = async () => undefined;

async function* hashed(octets: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of octets) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Workbooks are ZIP archives. */
function isWorkbook(head: Buffer): boolean {
  return head[0] === 0x50 && head[1] === 0x4b;
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
