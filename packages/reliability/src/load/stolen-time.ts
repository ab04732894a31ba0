import { readFileSync } from 'node:fs';

/**
 * Starts to watch how much of the processors' time the hypervisor gives to other machines ("steal" in proc_stat(5)).
 * Asked again, it says the share in percent since the start; undefined where the system counts no such thing.
 */
export function watchStolenTime(readCounters = processorCounters): () => number | undefined {
  const before = readCounters();
  return () => {
    const after = readCounters();
    if (!before || !after) return undefined;
    const all = after.all - before.all;
    return all > 0 ? (100 * (after.stolen - before.stolen)) / all : undefined;
  };
}

/** Time of all processors together since the machine started, in ticks. */
interface ProcessorCounters {
  readonly all: number;
  readonly stolen: number;
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
