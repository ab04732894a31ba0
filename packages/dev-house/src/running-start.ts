import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, isAlive } from './processes.ts';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** What one `npm start` leaves for another to find. */
export interface RunningStart {
  readonly pid: number;
  /** Known once the gateway answers. */
  readonly url?: string;
}

/** Makes this process the one start of the state directory, or answers the one that it already has. */
export function claimStateDirectory(stateDir: string): RunningStart | undefined {
  const path = join(stateDir, stateFiles.running);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid } satisfies RunningStart), { mode: 0o600 });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // A link appears whole or not at all, so of two starts at the same moment one gets it.
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

/** After a crash the number may belong to any other program. */
function isStart(pid: number): boolean {
  return isAlive(pid) && commandLineOf(pid).includes('dev-house/src/start.ts');
}
