import type { AccountId } from '@mailproof/shared-types';

/** Places for files that are read: each has a page of rows in memory for as long as its reader takes over it. */
export interface DownloadPlaces {
  /** Takes a place, and answers how it is left; or says whose places are all taken. */
  enter(accountId: AccountId): (() => void) | 'taken_by_account' | 'all_taken';
}

export function createDownloadPlaces(placesMax: number, perAccountMax: number): DownloadPlaces {
  const reading = new Map<AccountId, number>();
  let taken = 0;
  return {
    enter(accountId) {
      const own = reading.get(accountId) ?? 0;
      if (own >= perAccountMax) {
        return 'taken_by_account';
      }
      if (taken >= placesMax) {
        return 'all_taken';
      }
      reading.set(accountId, own + 1);
      taken += 1;
      let isIn = true;
      return () => {
        if (!isIn) {
          return;
        }
        isIn = false;
        taken -= 1;
        const left = (reading.get(accountId) ?? 1) - 1;
        if (left === 0) {
          reading.delete(accountId);
        } else {
          reading.set(accountId, left);
        }
      };
    },
  };
}
