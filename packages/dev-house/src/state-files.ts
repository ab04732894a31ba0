import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLineOf, isAlive } from './processes.ts';

/** The files of a state directory. */
export const stateFiles = {
  secrets: 'secrets.json',
  logs: 'logs',
  redis: 'redis',
  labCertificate: 'lab-ca.pem',
  mail: 'mail',
  demo: 'demo.json',
  running: 'running.json',
} as const;

/** Returns the file to which a start writes the settings for a service's operator commands. */
export function environmentFile(service: string): string {
  return `${service}.env.json`;
}

/**
 * Creates the state directory. Others may enter it, because Postgres may have to run as another user; secrets are in
 * files that only their owner can read.
 */
export async function makeStateDirectory(
  stateDir: string,
  { isNew = !existsSync(stateDir) } = {},
): Promise<void> {
  await mkdir(join(stateDir, stateFiles.logs), { recursive: true });
  if (isNew) await chmod(stateDir, 0o755);
}

/** Atomically writes a file that only its owner may read. */
export async function writePrivateJson(path: string, content: unknown): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await rm(unfinished, { force: true });
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}

/** Returns the content of a JSON file; undefined if it does not exist. */
export function readJsonIfPresent<Content>(path: string): Content | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Content;
  } catch (cause) {
    throw new Error(`${path} is not valid JSON; delete it and run the command again.`, { cause });
  }
}

/** What one `npm start` records for the next one to find. */
interface RunningStart {
  readonly pid: number;
  /** Set once the gateway answers. */
  readonly url?: string;
}

/** Claims the state directory for this process, or returns the start that already owns it. */
export function claimStateDirectory(stateDir: string): RunningStart | undefined {
  const path = join(stateDir, stateFiles.running);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid } satisfies RunningStart), { mode: 0o600 });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // Creating a link is atomic, so only one of two simultaneous starts succeeds.
        linkSync(own, path);
        return undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 3) throw error;
      }
      const earlier = readJsonIfPresent<RunningStart>(path);
      if (earlier && isStart(earlier.pid)) return earlier;
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

export async function announceUrl(stateDir: string, url: string): Promise<void> {
  await writePrivateJson(join(stateDir, stateFiles.running), {
    pid: process.pid,
    url,
  } satisfies RunningStart);
}

export function releaseStateDirectory(stateDir: string): void {
  rmSync(join(stateDir, stateFiles.running), { force: true });
}

/** Whether a start has this pid: after a crash, the pid may belong to another program. */
function isStart(pid: number): boolean {
  return isAlive(pid) && commandLineOf(pid).includes('dev-house/src/start.ts');
}
