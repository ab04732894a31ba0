import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What lies where in a state directory. */
export const stateFiles = {
  secrets: 'secrets.json',
  logs: 'logs',
  redis: 'redis',
  labCertificate: 'lab-ca.pem',
  mail: 'mail',
  demo: 'demo.json',
  running: 'running.json',
} as const;

/** Where the last start leaves what a service's operator commands need. */
export function environmentFile(service: string): string {
  return `${service}.env.json`;
}

/** Others may pass through, because Postgres may have to run as another user; every secret is a closed file. */
export async function makeStateDirectory(
  stateDir: string,
  { isNew = !existsSync(stateDir) } = {},
): Promise<void> {
  await mkdir(join(stateDir, stateFiles.logs), { recursive: true });
  if (isNew) await chmod(stateDir, 0o755);
}

/** Writes a file that only its owner may read, whole or not at all. */
export async function writePrivateJson(path: string, content: unknown): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await rm(unfinished, { force: true });
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}

/** The content of a JSON file, or nothing when there is no such file. */
export function readJsonIfPresent<Content>(path: string): Content | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Content;
  } catch (cause) {
    throw new Error(`${path} holds no JSON; delete it and run the command again.`, { cause });
  }
}
