import type { HostQueue } from './host-queue.ts';
import { idleMs, idleSessionsMax } from './limits.ts';

/** Sessions that have nothing to do, over all hosts. */
export interface IdleSessions {
  /** Waits for questions at a host; false when none came in time, or when the session has to make room. */
  wait(queue: Pick<HostQueue, 'idle'>): Promise<boolean>;
  /** Ends the one that has waited the longest, if there is one. */
  endOldest(): void;
}

/**
 * Keeps so many idle sessions at most. A list of many hosts with few addresses leaves a hundred sessions a second behind,
 * none of which is needed again, and each takes some ninety kilobytes of ours and a place at its host.
 */
export function createIdleSessions(): IdleSessions {
  /** In the order in which they began to wait. */
  const all = new Set<(hasWork: boolean) => void>();

  function endOldest(): void {
    const [oldest] = all;
    oldest?.(false);
  }

  return {
    wait: ({ idle }) =>
      new Promise(resolve => {
        const wake = (hasWork: boolean) => {
          clearTimeout(timer);
          all.delete(wake);
          const position = idle.indexOf(wake);
          if (position >= 0) {
            idle.splice(position, 1);
          }
          resolve(hasWork);
        };
        // An idle session is no reason for a process to stay.
        const timer = setTimeout(() => wake(false), idleMs).unref();
        idle.push(wake);
        all.add(wake);
        if (all.size > idleSessionsMax) {
          endOldest();
        }
      }),
    endOldest,
  };
}
