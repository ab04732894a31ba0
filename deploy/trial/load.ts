import { setTimeout as wait } from 'node:timers/promises';

/** What a client saw during a trial. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** The failures by status and problem, or error, with the number of each; empty if every request succeeded. */
  readonly failures: Readonly<Record<string, number>>;
  /** The longest time in which no request succeeded. */
  readonly outageMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Load {
  /** Stops, and resolves when the last request has been answered. */
  stop(): Promise<LoadResult>;
}

const requestDeadlineMs = 15_000;

/**
 * Sends requests at a steady rate, also while earlier ones have no answer. Every second one opens a new connection, as a
 * script does; the others keep theirs, as a proxy does. A request that fails is not repeated.
 */
export function startLoad(url: string, apiKey: string, perSecond: number): Load {
  const startedAt = performance.now();
  const durations: number[] = [];
  const failures: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  let stopped = false;
  let number = 0;
  let lastSuccessAt = startedAt;
  let outageMs = 0;

  const send = async (isNew: boolean): Promise<void> => {
    const sentAt = performance.now();
    const headers = { 'x-api-key': apiKey, ...(isNew && { connection: 'close' }) };
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(requestDeadlineMs) });
      const answer = await response.text();
      if (response.ok) succeed();
      else fail(`${response.status} ${detailOf(answer)}`);
    } catch (error) {
      const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string };
      fail(`${code ?? 'error'} ${message} on a ${isNew ? 'new' : 'kept'} connection`);
    }
    durations.push(performance.now() - sentAt);
  };
  const fail = (what: string): void => {
    failures[what] = (failures[what] ?? 0) + 1;
  };
  const succeed = (): void => {
    outageMs = Math.max(outageMs, performance.now() - lastSuccessAt);
    lastSuccessAt = performance.now();
  };
  const loop = (async () => {
    while (!stopped) {
      const request = send(number % 2 === 0);
      number += 1;
      open.add(request);
      void request.finally(() => open.delete(request));
      const dueMs = startedAt + (number * 1_000) / perSecond - performance.now();
      if (dueMs > 0) await wait(dueMs);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await loop;
      const seconds = (performance.now() - startedAt) / 1_000;
      await Promise.all(open);
      durations.sort((a, b) => a - b);
      const at = (share: number): number => Math.round(durations[Math.floor(durations.length * share)] ?? 0);
      return {
        requests: durations.length,
        perSecond: Math.round(durations.length / seconds),
        failures,
        outageMs: Math.round(Math.max(outageMs, performance.now() - lastSuccessAt)),
        p50Ms: at(0.5),
        p99Ms: at(0.99),
      };
    },
  };
}

/** Returns the detail of a problem document; the beginning of an answer that is none. */
function detailOf(answer: string): string {
  try {
    const { code, detail } = JSON.parse(answer) as { code?: string; detail?: string };
    return `${code} ${detail ?? ''}`.trim();
  } catch {
    return answer.slice(0, 100);
  }
}

/** Returns the figures of a load in a line. */
export function describeLoad({ requests, perSecond, failures, outageMs, p50Ms, p99Ms }: LoadResult): string {
  const failed = Object.entries(failures).map(([what, count]) => `${count} × ${what}`);
  return `${requests} requests at ${perSecond}/s, ${failed.length > 0 ? failed.join(', ') : '0'} failed, longest time without a success ${(outageMs / 1_000).toFixed(1)} s, p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}
