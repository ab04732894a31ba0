import { type Deadline, isOver } from '../../domain/deadline.ts';
import type { NameServer } from './name-servers.ts';
import type { Query } from './query.ts';
import { type Reading, readResponse } from './read-response.ts';
import type { RecordType } from './record-lookup.ts';

/** What one exchange comes to; it never rejects, and holds no socket once it has ended. */
export type Exchange = <Type extends RecordType>(
  server: NameServer,
  query: Query & { readonly type: Type },
  deadline: Deadline,
) => Promise<Reading<Type>>;

/** What an open connection does with the octets that arrive, and with its own end. */
export interface Ear {
  /** Takes a message; false when it answers no question of ours. */
  hear(octets: Buffer): boolean;
  /** Nothing more can come. */
  fail(failure: 'refused' | 'malformed'): void;
}

/**
 * Waits for the one answer, and lets go of the socket as soon as the exchange is over: by an answer, by a failure,
 * because time is up, or because nobody waits any more. An unreadable answer is passed over, since a readable one
 * may follow; if none does, it is what there was to hear.
 */
export function waitForAnswer<Type extends RecordType>(
  query: Query & { readonly type: Type },
  deadline: Deadline,
  open: (ear: Ear) => () => void,
): Promise<Reading<Type>> {
  if (isOver(deadline)) {
    return Promise.resolve({ kind: 'failure', failure: 'timeout' });
  }
  return new Promise(resolve => {
    let settled = false;
    let silence: Reading<Type> = { kind: 'failure', failure: 'timeout' };
    const settle = (reading: Reading<Type>) => {
      if (!settled) {
        settled = true;
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', giveUp);
        close();
        resolve(reading);
      }
    };
    const giveUp = () => settle(silence);
    const close = open({
      hear(octets) {
        const reading = readResponse(octets, query);
        if (reading?.kind === 'failure' && reading.failure === 'malformed') {
          silence = reading;
        } else if (reading !== undefined) {
          settle(reading);
        }
        return reading !== undefined;
      },
      fail: failure => settle({ kind: 'failure', failure }),
    });
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
  });
}
