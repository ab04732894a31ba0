import type { Page } from 'playwright-core';

/** Measurements of a page's main thread over a period. */
export interface Fared {
  /** The CPU time of the longest task. On a busy machine, only this time is due to the page itself. */
  readonly longestProcessorMs: number;
  /** The longest of the tasks that the browser itself reports as long (over 50 ms); 0 if there were none. */
  readonly longestTaskMs: number;
  readonly longTasks: number;
  /** The longest gap between ticks of a timer in the page that should tick every few milliseconds. */
  readonly longestStillMs: number;
  readonly frames: number;
  readonly seconds: number;
}

const tickMs = 4;

/** A script that runs in the browser, so it is plain JavaScript. */
const begin = `(() => {
  const watch = { tasks: [], stillMs: 0, frames: 0, startedMs: performance.now(), isOver: false };
  watch.observer = new PerformanceObserver(list => watch.tasks.push(...list.getEntries().map(entry => entry.duration)));
  watch.observer.observe({ type: 'longtask' });
  let tickedMs = performance.now();
  watch.clock = setInterval(() => {
    const nowMs = performance.now();
    watch.stillMs = Math.max(watch.stillMs, nowMs - tickedMs - ${tickMs});
    tickedMs = nowMs;
  }, ${tickMs});
  const frame = () => { watch.frames += 1; if (!watch.isOver) requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  window.benchWatch = watch;
})()`;

const end = `(async () => {
  const watch = window.benchWatch;
  await new Promise(resolve => setTimeout(resolve, 100));
  clearInterval(watch.clock);
  watch.isOver = true;
  watch.tasks.push(...watch.observer.takeRecords().map(entry => entry.duration));
  watch.observer.disconnect();
  return {
    longestTaskMs: Math.max(0, ...watch.tasks),
    longTasks: watch.tasks.length,
    longestStillMs: watch.stillMs,
    frames: watch.frames,
    seconds: (performance.now() - watch.startedMs) / 1000,
  };
})()`;

/** Measures the page while `act` runs. */
export async function watched(page: Page, act: () => Promise<void>): Promise<Fared> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser.');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await page.evaluate(begin);
  await act();
  const fared = await page.evaluate<Omit<Fared, 'longestProcessorMs'>>(end);
  return { ...fared, longestProcessorMs: longestTask(await browser.stopTracing()) };
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns the CPU time of the longest task on the renderer main threads, in milliseconds. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid, tdur }) =>
      ph === 'X' && tdur !== undefined && name.endsWith('RunTask') && threads.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('The trace of the browser has no task.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
