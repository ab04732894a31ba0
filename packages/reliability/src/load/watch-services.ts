import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from '@mailproof/dev-house';
import { costsOfServices } from '@mailproof/dev-house/service-costs';
import { slopeOf } from './slope.ts';

/** What a service took while it was watched. */
export interface ServiceWatch {
  readonly name: string;
  readonly firstMiB: number;
  readonly lastMiB: number;
  /** Of the line that fits the last four fifths of the time best (least squares). */
  readonly slopeMiBPerMinute: number;
  /** For how long the event loop was kept busy at once, from its start. */
  readonly eventLoopP99Ms: number;
  readonly eventLoopMaxMs: number;
}

const sampleEveryMs = 5_000;
const warmUpShare = 0.2;
const minuteMs = 60_000;

/** Samples the memory of each service until it is asked what it saw. */
export function watchServices(house: House, eventLoopDirectory: string): () => ServiceWatch[] {
  const samples = new Map<string, { readonly atMinutes: number; readonly mebibytes: number }[]>();
  const beganMs = performance.now();
  function sample(): void {
    const atMinutes = (performance.now() - beganMs) / minuteMs;
    for (const { name, nowMiB } of costsOfServices(house)) {
      samples.set(name, [...(samples.get(name) ?? []), { atMinutes, mebibytes: nowMiB }]);
    }
  }
  sample();
  const timer = setInterval(sample, sampleEveryMs);
  return () => {
    clearInterval(timer);
    sample();
    return [...samples].map(([name, all]) => {
      const lastAt = all.at(-1)?.atMinutes ?? 0;
      const warm = all.filter(({ atMinutes }) => atMinutes >= warmUpShare * lastAt);
      const { p99Ms, maxMs } = eventLoopOf(eventLoopDirectory, house.services[name]?.pid);
      return {
        name,
        firstMiB: all[0]?.mebibytes ?? 0,
        lastMiB: all.at(-1)?.mebibytes ?? 0,
        slopeMiBPerMinute: slopeOf(warm.map(({ atMinutes, mebibytes }) => [atMinutes, mebibytes])),
        eventLoopP99Ms: p99Ms,
        eventLoopMaxMs: maxMs,
      };
    });
  };
}

function eventLoopOf(
  directory: string,
  pid: number | undefined,
): { readonly p99Ms: number; readonly maxMs: number } {
  try {
    return JSON.parse(readFileSync(join(directory, `${pid}.json`), 'utf8'));
  } catch {
    return { p99Ms: Number.NaN, maxMs: Number.NaN };
  }
}
