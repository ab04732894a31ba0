import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import type { House } from '../house.ts';

/** Resources that a service has used since its start. */
export interface ServiceCosts {
  readonly name: string;
  /** The peak and current memory of the process, in MiB; 0 if the system does not report it. */
  readonly peakMiB: number;
  readonly nowMiB: number;
  /** CPU time used, in seconds; unlike throughput, it hardly depends on other work of the machine. */
  readonly cpuSeconds: number;
}

/** Clock ticks per second, on every Linux. */
const ticksPerSecond = 100;

/** Returns the costs of each service, sorted by peak memory in descending order. */
export function costsOfServices({ services }: House): ServiceCosts[] {
  return Object.entries(services)
    .map(([name, { pid }]) => ({ name, ...costsOfProcess(pid) }))
    .sort((one, other) => other.peakMiB - one.peakMiB);
}

export function costsOfProcess(pid: number | undefined): Omit<ServiceCosts, 'name'> {
  return {
    peakMiB: mebibytes(pid, 'VmHWM'),
    nowMiB: mebibytes(pid, 'VmRSS'),
    cpuSeconds: cpuSecondsOf(pid),
  };
}

/** Returns the peak memory of Redis, in MiB. */
export async function redisPeakMiB(redisUrl: string): Promise<number> {
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
    // The name may contain anything; the fields after it start with the third one, see proc_pid_stat(5).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}
