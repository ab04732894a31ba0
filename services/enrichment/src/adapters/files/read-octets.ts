import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileFault } from '../../domain/import/table-file.ts';

/** The number of bytes needed to detect the kind of file. */
const headBytes = 65_536;
const chunkBytes = 1_048_576;

/** Properties of a file determined before reading it. */
export interface FileFacts {
  readonly sha256: string;
  readonly bytes: number;
  readonly isGzip: boolean;
}

/** Inspects a file and reads it once to compute its fingerprint. */
export async function lookAtFile(path: string): Promise<FileFacts> {
  const head = await readHead(path);
  if (head.length === 0) {
    throw new FileFault(`The file ${path} is empty.`);
  }
  if (head[0] === 0x50 && head[1] === 0x4b) {
    throw new FileFault(
      `The file ${path} is a ZIP archive or a spreadsheet. Save it as CSV, or unpack it first.`,
    );
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes, isGzip: head[0] === 0x1f && head[1] === 0x8b };
}

async function readHead(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).isDirectory()) {
      throw new FileFault(`${path} is a directory. Enter a file.`);
    }
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      throw new FileFault(`File ${path} not found.`);
    }
    if (code === 'EACCES' || code === 'EPERM') {
      throw new FileFault(`No permission to read the file ${path}.`);
    }
    throw error;
  }
}

/** Streams a file, decompressed if necessary; passes the number of bytes read from the file to `onBytes`. */
export async function* readOctets(
  path: string,
  { isGzip }: FileFacts,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: chunkBytes / 4 });
  file.on('data', chunk => onBytes(chunk.length));
  file.pause();
  if (!isGzip) {
    yield* file as AsyncIterable<Buffer>;
    return;
  }
  const unpacked = createGunzip({ chunkSize: chunkBytes / 4 });
  pipeline(file, unpacked, () => undefined);
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') {
      throw new FileFault('The compressed file is incomplete: the write or download was interrupted.');
    }
    throw code?.startsWith('Z_') ? new FileFault('The compressed file is damaged.') : error;
  }
}
