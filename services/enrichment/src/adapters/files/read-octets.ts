import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileFault } from '../../domain/import/raw-row.ts';

/** Enough to tell what kind of file it is. */
const headBytes = 65_536;
const chunkBytes = 1_048_576;

/** What is seen of a file before it is read. */
export interface FileFacts {
  readonly sha256: string;
  readonly bytes: number;
  readonly isGzip: boolean;
}

/** Looks at a file and takes its fingerprint, for which it is read once. */
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
      throw new FileFault(`${path} is a directory. Name one file.`);
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
      throw new FileFault(`There is no file ${path}.`);
    }
    if (code === 'EACCES' || code === 'EPERM') {
      throw new FileFault(`The file ${path} may not be read by this user.`);
    }
    throw error;
  }
}

/** Reads a file as it is taken, unpacked where it is packed; `onBytes` is told how many octets of it were read. */
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
      throw new FileFault('The compressed file ends too early: it is half written or half downloaded.');
    }
    throw code?.startsWith('Z_') ? new FileFault('The compressed file is damaged.') : error;
  }
}
