import type { Clock } from '../concurrency/deadline.ts';
import type { ComparisonMemory, RememberedComparison } from './comparison.ts';

const entriesMax = 10_000;

/** Remembers comparisons within one process, for the command line. */
export function createLocalComparisonMemory(clock: Clock): ComparisonMemory {
  const entries = new Map<string, { comparison: RememberedComparison; endsAtMs: number }>();
  return {
    async forget(domain, host) {
      entries.delete(`${domain} ${host}`);
    },
    async recall(domain, host) {
      const entry = entries.get(`${domain} ${host}`);
      return entry !== undefined && entry.endsAtMs > clock.nowMs() ? entry.comparison : undefined;
    },
    async remember(domain, host, comparison, lifetimeMs) {
      const key = `${domain} ${host}`;
      entries.delete(key);
      entries.set(key, { comparison, endsAtMs: clock.nowMs() + lifetimeMs });
      const [oldest] = entries.keys();
      if (entries.size > entriesMax && oldest !== undefined) {
        entries.delete(oldest);
      }
    },
  };
}
