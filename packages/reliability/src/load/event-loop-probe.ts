import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * Loaded into each service before the service itself (`--import`). It writes how long the event loop was blocked to the
 * directory in its own URL. The service is unaware of it.
 */

const directory = new URL(import.meta.url).searchParams.get('directory');
const everyMs = 5_000;
const resolutionMs = 10;

if (directory) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const nanosecondsPerMs = 1_000_000;
  setInterval(() => {
    // Each delay includes the timer's own period.
    const p99Ms = Math.max(0, delays.percentile(99) / nanosecondsPerMs - resolutionMs);
    const maxMs = Math.max(0, delays.max / nanosecondsPerMs - resolutionMs);
    writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify({ p99Ms, maxMs }));
  }, everyMs).unref();
}
