import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * Is loaded into each service ahead of it (`--import`), and leaves for how long its event loop was busy at once in the
 * directory that its own address names. The service knows nothing of it.
 */

const directory = new URL(import.meta.url).searchParams.get('directory');
const everyMs = 5_000;
const resolutionMs = 10;

if (directory) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const nanosecondsPerMs = 1_000_000;
  setInterval(() => {
    // The timer's own period is in each delay.
    const p99Ms = Math.max(0, delays.percentile(99) / nanosecondsPerMs - resolutionMs);
    const maxMs = Math.max(0, delays.max / nanosecondsPerMs - resolutionMs);
    writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify({ p99Ms, maxMs }));
  }, everyMs).unref();
}
