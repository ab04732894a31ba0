import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import type { House } from './house.ts';

/** What a service took, from its start. */
export interface ServiceCosts {
  readonly name: string;
  /** The most that the process has had, and what it has now, in MiB; 0 where the system does not tell. */
  readonly peakMiB: number;
  readonly nowMiB: number;
  /** Time of a processor that it has used, in seconds; unlike a pace it hardly depends on what else the machine does. */
  readonly cpuSeconds: number;
}

/** Ticks of the system's clock in a second, on every Linux. */
const ticksPerSecond = 100;

/** The costs of each service, the one with the most memory first. */
export function costsOfServices({ services }: House): ServiceCosts[] {
  return Object.entries(services)
    .map(([name, { pid }]) => ({
      name,
      peakMiB: mebibytes(pid, 'VmHWM'),
      nowMiB: mebibytes(pid, 'VmRSS'),
      cpuSeconds: cpuSecondsOf(pid),
    }))
    .sort((one, other) => other.peakMiB - one.peakMiB);
}

/** The most that Redis has kept, in MiB. */
export async function redisPeakMiB({ redisUrl }: House): Promise<number> {
  const redis = new Redis(redisUrl);
  try {
    const peak = /^used_memory_peak:(\d+)/m.exec(await redis.info('memory'))?.[1];
    return Math.round(Number(peak ?? 0) / 1_048_576);
  } finally {
    redis.disconnect();
  }
}

function mebibytes(pid: number | undefined, field: 'VmHWM' | 'VmRSS'): number {
  try {
    const kib = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    )?.[1];
    return Number(kib ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

function cpuSecondsOf(pid: number | undefined): number {
  try {
    // Behind the name, which may hold anything, the fields are counted from the third; see proc_pid_stat(5).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}
