import { AsyncLocalStorage } from 'node:async_hooks';
import { inSpan } from '../tracing.ts';

/** Hands out turns to accounts, one each in rotation, so that nobody's long work holds up others'. */
export interface FairTurns {
  /** Does a piece of work when it is the account's turn. Pieces of one account begin in the order of their coming. */
  take<Result>(accountId: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * @param atOnceMax pieces that are done at the same time
 * @param perAccountMax those of them that may be of one account, which gets more than one turn where nobody else waits
 * @param spanName how a turn is called in traces
 */
export function createFairTurns(atOnceMax: number, perAccountMax = 1, spanName = 'turn'): FairTurns {
  /** Accounts that wait, the next one first; each with its pieces. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  /** Pieces under way, in all and of each account. */
  let underWay = 0;
  const busy = new Map<string, number>();

  function count(accountId: string, more: 1 | -1): void {
    underWay += more;
    const pieces = (busy.get(accountId) ?? 0) + more;
    if (pieces === 0) {
      busy.delete(accountId);
    } else {
      busy.set(accountId, pieces);
    }
  }

  /** An account that has had its turn comes after those that wait, and leaves when it wants nothing more. */
  function toTheEnd(accountId: string): void {
    const pieces = waiting.get(accountId) ?? [];
    waiting.delete(accountId);
    if (pieces.length > 0) {
      waiting.set(accountId, pieces);
    }
  }

  /** Whoever has the fewest pieces under way; of several the one that has waited longest. */
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
    while (underWay < atOnceMax) {
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
        // Whoever ends calls the next one, which must not be told as a part of what has ended.
        pieces.push(AsyncLocalStorage.bind(() => inSpan(spanName, work).then(resolve, reject)));
        waiting.set(accountId, pieces);
        next();
      }),
  };
}
