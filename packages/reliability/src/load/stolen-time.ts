import { readFileSync } from 'node:fs';

/**
 * Starts to watch how much of the processors' time the hypervisor gives to other machines ("steal" in proc_stat(5)).
 * Asked again, it says the share in percent since the start; undefined where the system counts no such thing.
 */
export function watchStolenTime(readCounters = processorCounters): () => number | undefined {
  const before = readCounters();
  return () => {
    const after = readCounters();
    return before && after && stolenPercent(before, after);
  };
}

/** What the counters showed at a moment, in milliseconds of `performance.now()`. */
export interface Reading extends ProcessorCounters {
  readonly atMs: number;
}

const readEveryMs = 1_000;
/** A single tick of those that two processors have in a second, which is no more than rounding. */
const calmPercentMax = 0.5;

/**
 * Starts to watch in which seconds the machine had its processors to itself. At the end it says of a moment whether it
 * was in one; undefined where the system counts no such thing.
 */
export function watchCalm(): () => ((atMs: number) => boolean) | undefined {
  const readings: Reading[] = [];
  function read(): void {
    const counters = processorCounters();
    if (counters) readings.push({ ...counters, atMs: performance.now() });
  }
  read();
  const reading = setInterval(read, readEveryMs);
  return () => {
    clearInterval(reading);
    read();
    return calmMoments(readings);
  };
}

/**
 * A moment is calm when nothing was given to others between the readings around it, nor in the second before, which
 * leaves work behind.
 */
export function calmMoments(readings: readonly Reading[]): ((atMs: number) => boolean) | undefined {
  if (readings.length < 2) return undefined;
  const isQuiet = readings.slice(1).map((after, place) => {
    const percent = stolenPercent(readings[place] ?? after, after);
    return percent !== undefined && percent <= calmPercentMax;
  });
  return atMs => {
    const place = readings.findLastIndex(reading => reading.atMs <= atMs);
    return isQuiet[place] === true && isQuiet[place - 1] !== false;
  };
}

/** Time of all processors together since the machine started, in ticks. */
interface ProcessorCounters {
  readonly all: number;
  readonly stolen: number;
}

function stolenPercent(before: ProcessorCounters, after: ProcessorCounters): number | undefined {
  const all = after.all - before.all;
  return all > 0 ? (100 * (after.stolen - before.stolen)) / all : undefined;
}

/** The first line: cpu user nice system idle iowait irq softirq steal, and guests, who are counted as users too. */
export function processorCounters(
  readStat = () => readFileSync('/proc/stat', 'utf8'),
): ProcessorCounters | undefined {
  let stat: string;
  try {
    stat = readStat();
  } catch {
    return undefined;
  }
  const [name, ...ticks] = stat.slice(0, stat.indexOf('\n')).split(/\s+/);
  const counted = ticks.slice(0, 8).map(Number);
  const stolen = counted[7];
  return name === 'cpu' && stolen !== undefined
    ? { all: counted.reduce((sum, each) => sum + each, 0), stolen }
    : undefined;
}
