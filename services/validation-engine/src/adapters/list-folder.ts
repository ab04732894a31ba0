import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListFolder } from '../domain/lists/list-kinds.ts';
import { type ListId, listFile } from '../domain/lists/list-kinds.ts';
import { listInUse } from './domain-lists.ts';
import { readBody } from './web/read-body.ts';

/** Stores the lists in a local folder. */
export function createListFolder(dir: string): ListFolder {
  return {
    inUse: id => listInUse(id, dir),
    write: (id, names, origin) => writeList(dir, id, names, origin),
  };
}

/** Reads a whole file; undefined if it is longer. Rejects with the file system's error. */
export function readFileUpTo(
  path: string,
  octetsMax: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  return readBody(createReadStream(path, { signal }), octetsMax);
}

/**
 * Writes a list to the path from which the engine reads it at its next start, and returns that path. An engine that
 * starts meanwhile reads the old list or the new one, never a partial one.
 *
 * @throws the file system's error
 */
export async function writeList(
  dir: string,
  id: ListId,
  names: ReadonlySet<string>,
  origin: string,
): Promise<string> {
  await mkdir(dir, { recursive: true });
  const path = join(dir, listFile(id));
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    const file = await open(unfinished, 'w');
    try {
      await file.writeFile(`# ${origin}\n${[...names].sort().join('\n')}\n`);
      // Without this, a machine that loses power soon after may have the new name without its content.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return path;
}
