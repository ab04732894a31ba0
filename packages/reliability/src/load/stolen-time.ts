import { readFileSync } from 'node:fs';

/**
 * Starts to measure how much CPU time the hypervisor gives to other machines ("steal" in proc_stat(5)). The returned
 * function returns the share in percent since the start; undefined if the system does not count it.
 */
export function watchStolenTime(readCounters = processorCounters): () => number | undefined {
  const before = readCounters();
  return () => {
    const after = readCounters();
    return before && after && stolenPercent(before, after);
  };
}

/** The counters at a given time, in milliseconds of `performance.now()`. */
export interface Reading extends ProcessorCounters {
  readonly atMs: number;
}

const readEveryMs = 1_000;
/** One tick out of those that two processors have in a second, which can be rounding. */
const calmPercentMax = 0.5;

/**
 * Starts to record in which seconds the hypervisor stole no CPU time. The returned function ends the recording and
 * returns a check whether a given time was in one; undefined if the system does not count it.
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
 * A moment is calm if no CPU time was stolen between the readings around it or in the second before, which would leave
 * work behind.
 */
export function calmMoments(readings: readonly Reading[]): ((atMs: number) => boolean) | undefined {
  if (readings.length < 2) return undefined;
  const isQuiet = readings.slice(1).map((after, index) => {
    const percent = stolenPercent(readings[index] ?? after, after);
    return percent !== undefined && percent <= calmPercentMax;
  });
  return atMs => {
    const index = readings.findLastIndex(reading => reading.atMs <= atMs);
    return isQuiet[index] === true && isQuiet[index - 1] !== false;
  };
}

/** The total time of all processors since the machine started, in ticks. */
interface ProcessorCounters {
  readonly all: number;
  readonly stolen: number;
}

function stolenPercent(before: ProcessorCounters, after: ProcessorCounters): number | undefined {
  const all = after.all - before.all;
  return all > 0 ? (100 * (after.stolen - before.stolen)) / all : undefined;
}

/**
 * Reads the first line: cpu user nice system idle iowait irq softirq steal, then guest times, which are also part of
 * user.
 */
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
