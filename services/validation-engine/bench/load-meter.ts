import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Load } from './messages.ts';

/** Measures how busy this process is. */
export interface LoadMeter {
  restart(): void;
  read(): Load;
}

const sampleMs = 10;
const secondMs = 1_000;

export function createLoadMeter(): LoadMeter {
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  delay.enable();
  let cpu = process.cpuUsage();
  let loop = performance.eventLoopUtilization();
  let seconds: number[] = [];
  const endSecond = () => {
    seconds.push(performance.eventLoopUtilization(loop).utilization);
    loop = performance.eventLoopUtilization();
  };
  setInterval(endSecond, secondMs).unref();
  return {
    restart() {
      delay.reset();
      cpu = process.cpuUsage();
      loop = performance.eventLoopUtilization();
      seconds = [];
    },
    read() {
      const { user, system } = process.cpuUsage(cpu);
      endSecond();
      return {
        cpuMs: (user + system) / 1_000,
        busyShare: seconds.sort((one, other) => one - other)[Math.floor(seconds.length / 2)] ?? 0,
        delayP99Ms: lateness(delay.percentile(99)),
        delayMaxMs: lateness(delay.max),
      };
    },
  };
}

/** The histogram contains the time between two ticks of its timer; any excess over the interval is lateness. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - sampleMs);
}
