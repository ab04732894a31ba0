import { setTimeout as pause } from 'node:timers/promises';
import { type AccountId, limits } from '@mailproof/shared-types';

/** Too many requests of the account wait to be read. The provider sends the request again. */
export class TooMuchWaits extends Error {
  override readonly name = 'TooMuchWaits';
}

/** Runs the reading of a request when it is its account's turn. */
export type InTurn = <Result>(
  accountId: AccountId,
  octets: number,
  read: () => Promise<Result>,
) => Promise<Result>;

/** What may wait of one account, in octets: a few of the largest requests, or thousands of ordinary ones. */
const waitingOctetsMax = 4 * limits.outcomeEventsBytesMax;
/** Shorter readings need no pause, and longer ones have waited for something else, in milliseconds. */
const pauseMsMin = 5;
const pauseMsMax = 2_000;

interface Line {
  last: Promise<void>;
  octets: number;
}

/**
 * Reads the requests of one account one at a time, each followed by a pause of the same length: reading a hostile one
 * can take a second of the processor, which all accounts share.
 */
export function createReadingTurns(): InTurn {
  const lines = new Map<AccountId, Line>();
  return async (accountId, octets, read) => {
    const line = lines.get(accountId) ?? { last: Promise.resolve(), octets: 0 };
    if (line.octets > 0 && line.octets + octets > waitingOctetsMax) {
      throw new TooMuchWaits();
    }
    lines.set(accountId, line);
    line.octets += octets;
    const before = line.last;
    const turn = Promise.withResolvers<void>();
    line.last = turn.promise;
    await before;
    const startedMs = performance.now();
    try {
      return await read();
    } finally {
      line.octets -= octets;
      void rest(performance.now() - startedMs).then(() => {
        turn.resolve();
        if (line.last === turn.promise) {
          lines.delete(accountId);
        }
      });
    }
  };
}

async function rest(busyMs: number): Promise<void> {
  if (busyMs >= pauseMsMin) {
    await pause(Math.min(busyMs, pauseMsMax));
  }
}
