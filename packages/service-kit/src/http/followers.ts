/** Counts the followers of each account. */
export interface Followers {
  /** Adds a follower and returns the function that removes it; undefined if the account is at its limit. */
  enter(accountId: string): (() => void) | undefined;
}

export function createFollowers(perAccountMax: number): Followers {
  const following = new Map<string, number>();
  return {
    enter(accountId) {
      const count = following.get(accountId) ?? 0;
      if (count >= perAccountMax) {
        return undefined;
      }
      following.set(accountId, count + 1);
      let isIn = true;
      return () => {
        if (isIn) {
          isIn = false;
          const left = (following.get(accountId) ?? 1) - 1;
          if (left === 0) {
            following.delete(accountId);
          } else {
            following.set(accountId, left);
          }
        }
      };
    },
  };
}
