/** Hands out turns to accounts, one each in rotation, so that nobody's long work holds up others'. */
export interface FairTurns {
  /** Does a piece of work when it is the account's turn. Pieces of one account are done in the order of their coming. */
  take<Result>(accountId: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * @param atOnceMax pieces that are done at the same time
 * @param ofOneMax pieces of one account that are
 */
export function createFairTurns(atOnceMax: number, ofOneMax = 1): FairTurns {
  /** Accounts that wait, the next one first; each with its pieces. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  /** Pieces that are being done, in all and by account. */
  const busy = new Map<string, number>();
  let atOnce = 0;

  /** An account that has had its turn comes after those that wait, and leaves when it wants nothing more. */
  function toTheEnd(accountId: string): void {
    const pieces = waiting.get(accountId) ?? [];
    waiting.delete(accountId);
    if (pieces.length > 0) {
      waiting.set(accountId, pieces);
    }
  }

  function count(accountId: string, change: 1 | -1): void {
    const left = (busy.get(accountId) ?? 0) + change;
    atOnce += change;
    if (left === 0) {
      busy.delete(accountId);
    } else {
      busy.set(accountId, left);
    }
  }

  function next(): void {
    // What is begun goes to the end, where it comes up again behind the others: so often as it has pieces that may begin.
    for (const [accountId, pieces] of waiting) {
      if (atOnce >= atOnceMax) {
        return;
      }
      const piece = (busy.get(accountId) ?? 0) >= ofOneMax ? undefined : pieces.shift();
      if (piece) {
        count(accountId, 1);
        toTheEnd(accountId);
        void piece().finally(() => {
          count(accountId, -1);
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
