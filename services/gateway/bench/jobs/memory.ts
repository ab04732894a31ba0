import { readFileSync } from 'node:fs';
import type { House } from '@mailproof/dev-house';
import { Redis } from 'ioredis';

export interface ServiceMemory {
  readonly name: string;
  /** The most that the process has had, and what it has now, in MiB; 0 where the system does not tell. */
  readonly peakMiB: number;
  readonly nowMiB: number;
}

/** The memory of each service, the largest first. */
export function memoryOfServices({ services }: House): ServiceMemory[] {
  return Object.entries(services)
    .map(([name, { pid }]) => ({ name, peakMiB: mebibytes(pid, 'VmHWM'), nowMiB: mebibytes(pid, 'VmRSS') }))
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
    return Math.round(Number(kib ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
