import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** One signal, and how long it may take before the next one is sent. */
export interface StopSignal {
  readonly signal: NodeJS.Signals;
  readonly deadlineMs: number;
}

/** For processes that end in order on SIGTERM, which is all of ours and Redis. */
export const gentleStop: readonly StopSignal[] = [
  { signal: 'SIGTERM', deadlineMs: 10_000 },
  { signal: 'SIGKILL', deadlineMs: 2_000 },
];

/** Postgres reads its signals differently: SIGINT is the fast shutdown, SIGTERM would wait for its clients. */
export const postgresStop: readonly StopSignal[] = [
  { signal: 'SIGINT', deadlineMs: 15_000 },
  { signal: 'SIGQUIT', deadlineMs: 5_000 },
  { signal: 'SIGKILL', deadlineMs: 2_000 },
];

/** Sends the signals in turn until the process has gone; a negative pid means its whole group. */
export async function stopProcess(pid: number, signals: readonly StopSignal[] = gentleStop): Promise<void> {
  for (const { signal, deadlineMs } of signals) {
    if (!sendSignal(pid, signal)) return;
    const endsAt = Date.now() + deadlineMs;
    while (Date.now() < endsAt) {
      if (!isAlive(pid)) return;
      await sleep(20);
    }
  }
}

/** Whether the process runs. A zombie does not: where process 1 reaps nobody, it would seem to live for ever. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return pid < 0 || !isZombie(pid);
}

/** The command line of a process, or an empty string; tells our own process from one that got its number later. */
export function commandLineOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      return '';
    }
  }
  return (
    spawnSync('ps', ['-o', 'args=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
    }).stdout?.trim() ?? ''
  );
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}
