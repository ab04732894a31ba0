import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ListId, listFile } from '../domain/lists/list-kinds.ts';
import type { ListFolder } from '../domain/lists/list-ports.ts';
import { listInUse } from './domain-lists.ts';
import { readBody } from './web/read-body.ts';

/** Keeps the lists in a folder of this machine. */
export function createListFolder(dir: string): ListFolder {
  return {
    inUse: id => listInUse(id, dir),
    write: (id, names, origin) => writeList(dir, id, names, origin),
  };
}

/** Reads a whole file; nothing where it is longer. Rejects with the file system's error. */
export function readFileUpTo(
  path: string,
  octetsMax: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  return readBody(createReadStream(path, { signal }), octetsMax);
}

/**
 * Writes a list where the engine finds it at its next start, and says under which path. An engine that starts
 * meanwhile reads the old list or the new one, never half of one.
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
      // Without it a machine that loses power soon after may be left with the new name and no content.
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
