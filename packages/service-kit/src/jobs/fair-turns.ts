/** Hands out turns to accounts, one each in rotation, so that nobody's long work holds up others'. */
export interface FairTurns {
  /** Does a piece of work when it is the account's turn. Pieces of one account are done in the order of their coming. */
  take<Result>(accountId: string, work: () => Promise<Result>): Promise<Result>;
}

/** @param atOnceMax pieces that are done at the same time; of one account only one is. */
export function createFairTurns(atOnceMax: number): FairTurns {
  /** Accounts that wait, the next one first; each with its pieces. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  const busy = new Set<string>();

  /** An account that has had its turn comes after those that wait, and leaves when it wants nothing more. */
  function toTheEnd(accountId: string): void {
    const pieces = waiting.get(accountId) ?? [];
    waiting.delete(accountId);
    if (pieces.length > 0) {
      waiting.set(accountId, pieces);
    }
  }

  function next(): void {
    for (const [accountId, pieces] of waiting) {
      if (busy.size >= atOnceMax) {
        return;
      }
      const piece = busy.has(accountId) ? undefined : pieces.shift();
      if (piece) {
        busy.add(accountId);
        void piece().finally(() => {
          busy.delete(accountId);
          toTheEnd(accountId);
          next();
        });
      }
    }
  }

  return {
    take: (accountId, work) =>
      new Promise((resolve, reject) => {
        const pieces = waiting.get(accountId) ?? [];
        pieces.push(() => work().then(resolve, reject));
        waiting.set(accountId, pieces);
        next();
      }),
  };
}
