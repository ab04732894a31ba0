import { AsyncLocalStorage } from 'node:async_hooks';
import { inSpan } from '../signals.ts';

/** Schedules work round-robin by account, so that long work of one account does not delay others. */
export interface FairTurns {
  /** Runs a task when it is the account's turn. Tasks of one account start in the order in which they were added. */
  take<Result>(accountId: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * @param concurrencyMax maximum number of tasks that run at the same time
 * @param perAccountMax how many of them one account may have; waiting accounts with fewer running tasks come first
 * @param spanName the name of each task's span
 */
export function createFairTurns(concurrencyMax: number, perAccountMax = 1, spanName = 'turn'): FairTurns {
  /** Waiting accounts, the next one first, each with its tasks. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  /** Running tasks, in total and per account. */
  let inFlight = 0;
  const busy = new Map<string, number>();

  function count(accountId: string, more: 1 | -1): void {
    inFlight += more;
    const pieces = (busy.get(accountId) ?? 0) + more;
    if (pieces === 0) {
      busy.delete(accountId);
    } else {
      busy.set(accountId, pieces);
    }
  }

  /** Moves an account behind the other waiting ones, or removes it if it has no more tasks. */
  function toTheEnd(accountId: string): void {
    const pieces = waiting.get(accountId) ?? [];
    waiting.delete(accountId);
    if (pieces.length > 0) {
      waiting.set(accountId, pieces);
    }
  }

  /** Returns the account with the fewest running tasks; among several, the one first in line. */
  function nextAccount(): string | undefined {
    let chosen: string | undefined;
    let fewest = perAccountMax;
    for (const [accountId, pieces] of waiting) {
      const count = busy.get(accountId) ?? 0;
      if (pieces.length > 0 && count < fewest) {
        chosen = accountId;
        fewest = count;
      }
    }
    return chosen;
  }

  function next(): void {
    while (inFlight < concurrencyMax) {
      const accountId = nextAccount();
      const piece = accountId === undefined ? undefined : waiting.get(accountId)?.shift();
      if (accountId === undefined || piece === undefined) {
        return;
      }
      count(accountId, 1);
      toTheEnd(accountId);
      void piece().finally(() => {
        count(accountId, -1);
        toTheEnd(accountId);
        next();
      });
    }
  }

  return {
    take: (accountId, work) =>
      new Promise((resolve, reject) => {
        const pieces = waiting.get(accountId) ?? [];
        // The end of one task starts the next one, which must not join the first task's trace.
        pieces.push(AsyncLocalStorage.bind(() => inSpan(spanName, work).then(resolve, reject)));
        waiting.set(accountId, pieces);
        next();
      }),
  };
}
