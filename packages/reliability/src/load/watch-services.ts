import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from '@mailproof/dev-house';
import { costsOfServices } from '@mailproof/dev-house/bench';

/** The resources that a service used while it was watched. */
export interface ServiceWatch {
  readonly name: string;
  readonly firstMiB: number;
  readonly lastMiB: number;
  /** The slope of the line that best fits the last four fifths of the time (least squares). */
  readonly slopeMiBPerMinute: number;
  /** How long the event loop was blocked at a time, since its start. */
  readonly eventLoopP99Ms: number;
  readonly eventLoopMaxMs: number;
}

const sampleEveryMs = 5_000;
const warmUpShare = 0.2;
const minuteMs = 60_000;

/** Samples the memory of each service until its result is read. */
export function watchServices(house: House, eventLoopDirectory: string): () => ServiceWatch[] {
  const samples = new Map<string, { readonly atMinutes: number; readonly mebibytes: number }[]>();
  const startedMs = performance.now();
  function sample(): void {
    const atMinutes = (performance.now() - startedMs) / minuteMs;
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

/** The slope of the least-squares line through points; 0 for fewer than two. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [meanOf(points.map(([x]) => x)), meanOf(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const together = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return spread > 0 ? together / spread : 0;
}
