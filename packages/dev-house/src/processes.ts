import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A signal, and how long to wait before the next one is sent. */
interface StopSignal {
  readonly signal: NodeJS.Signals;
  readonly deadlineMs: number;
}

/** For processes that shut down cleanly on SIGTERM: all of ours, and Redis. */
export const gracefulStop: readonly StopSignal[] = [
  { signal: 'SIGTERM', deadlineMs: 10_000 },
  { signal: 'SIGKILL', deadlineMs: 2_000 },
];

/** For Postgres, where SIGINT is the fast shutdown and SIGTERM would wait for clients. */
export const postgresStop: readonly StopSignal[] = [
  { signal: 'SIGINT', deadlineMs: 15_000 },
  { signal: 'SIGQUIT', deadlineMs: 5_000 },
  { signal: 'SIGKILL', deadlineMs: 2_000 },
];

/** Sends the signals in turn until the process has exited; a negative pid means its whole group. */
export async function stopProcess(pid: number, signals: readonly StopSignal[] = gracefulStop): Promise<void> {
  for (const { signal, deadlineMs } of signals) {
    if (!sendSignal(pid, signal)) return;
    const endsAt = Date.now() + deadlineMs;
    while (Date.now() < endsAt) {
      if (!isAlive(pid)) return;
      await sleep(20);
    }
  }
}

/** Whether the process runs. A zombie does not count: if process 1 does not reap, it would seem to live forever. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return pid < 0 || !isZombie(pid);
}

/**
 * Returns the command line of a process, or an empty string. It distinguishes our process from a later one with the
 * same pid.
 */
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

/**
 * Resolves with the reason when this process is asked to stop, by a signal or by the end of its parent. One Ctrl-C can
 * arrive several times, from the terminal and from each parent process, so later ones are ignored.
 */
export function stopRequested(): Promise<string> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    process.on('disconnect', () => resolve('the end of the starting process'));
  });
}

const tailBytesMax = 16_384;

/** Returns the last lines of a log, for an error message; empty if the log does not exist. */
export function lastLines(file: string, linesMax = 15): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, tailBytesMax));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8').trimEnd().split('\n').slice(-linesMax).join('\n');
  } finally {
    closeSync(descriptor);
  }
}
