import type { Clock } from '../../domain/deadline.ts';

/** Hosts that could not be read from lately, so that a list of addresses of one domain does not wait for each anew. */
export interface FailingHosts {
  has(host: string): boolean;
  add(host: string): void;
}

const keptMs = 60_000;
const hostsMax = 10_000;

export function createFailingHosts(clock: Clock): FailingHosts {
  const untilMs = new Map<string, number>();
  return {
    has: host => (untilMs.get(host) ?? 0) > clock.nowMs(),
    add(host) {
      untilMs.delete(host);
      untilMs.set(host, clock.nowMs() + keptMs);
      const [oldest] = untilMs.keys();
      if (untilMs.size > hostsMax && oldest !== undefined) {
        untilMs.delete(oldest);
      }
    },
  };
}
