import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Onward } from '../loopback-proxy.ts';

/** How the network treats the requests of clients and the responses to them. */
export interface Weather {
  /** Settles when the request may reach the tool server. */
  request?(request: IncomingMessage): Promise<void>;
  answer?(request: IncomingMessage, answer: IncomingMessage): Promise<'pass' | 'lose'>;
}

/** The network between client programs and the tool server, under the test's control. */
export interface Network {
  /** Replaces the weather; without one, everything passes immediately. */
  become(...weather: readonly Weather[]): void;
  /** Returns how many refreshes clients have sent in the current weather. */
  refreshes(): number;
  /** Returns the destination of a request, for `startLoopbackProxy`. */
  route(url: string, request: IncomingMessage): Promise<Onward>;
}

export function createNetwork(): Network {
  let current: readonly Weather[] = [];
  let refreshes = 0;
  return {
    become: (...weather) => {
      current = weather;
      refreshes = 0;
    },
    refreshes: () => refreshes,
    async route(url, request) {
      const weather = current;
      if (isRefresh(request)) refreshes += 1;
      for (const each of weather) await each.request?.(request);
      return {
        url,
        async onAnswer(answer) {
          for (const each of weather) {
            if ((await each.answer?.(request, answer)) === 'lose') return 'lose';
          }
          return 'pass';
        },
      };
    },
  };
}

/**
 * Delays refusals of tool calls until there are this many, so that all the calls are refused before one of them
 * refreshes.
 */
export function refusedTogether(count: number): Weather {
  let refused = 0;
  const all = Promise.withResolvers<void>();
  return {
    async answer(request, { statusCode }) {
      if (!isToolCall(request) || statusCode !== 401) return 'pass';
      refused += 1;
      if (refused >= count) all.resolve();
      return (await settlesInTime(all.promise)) ? 'pass' : 'lose';
    },
  };
}

/** Passes one refresh, and delays the others until a tool call with its new access token has completed. */
export function laterRefreshesLate(): Weather {
  let refreshes = 0;
  const used = Promise.withResolvers<void>();
  return {
    async request(request) {
      if (!isRefresh(request)) return;
      refreshes += 1;
      if (refreshes > 1) await settlesInTime(used.promise);
    },
    async answer(request, { statusCode }) {
      if (isToolCall(request) && statusCode === 200) used.resolve();
      return 'pass';
    },
  };
}

/** Loses the response to the first refresh after the server has sent it completely. */
export function loseRefresh(): Weather & { readonly lost: readonly (number | undefined)[] } {
  const lost: (number | undefined)[] = [];
  return {
    lost,
    async answer(request, answer) {
      if (!isRefresh(request) || lost.length > 0) return 'pass';
      lost.push(answer.statusCode);
      await answer.toArray();
      return 'lose';
    },
  };
}

/** While no client signs in, all requests to the token endpoint are refreshes. */
function isRefresh({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url === '/token';
}

function isToolCall({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url === '/mcp';
}

/** Shorter than the timeouts of all clients, so that a hanging test reports the reason. */
const patienceMs = 20_000;

async function settlesInTime(promise: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(patienceMs, false, { signal: timer.signal });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
  }
}
