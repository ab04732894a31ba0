import type { Clock } from '../../deadline.ts';
import type { HostQueue } from './host-queue.ts';
import { idleMs, idleSessionsMax, returningSessionsMax } from './limits.ts';

/** What is known of a host between two of its questions. */
export type IdleHost = Pick<HostQueue, 'idle' | 'idleSinceMs' | 'isReturning'>;

/** Sessions that have nothing to do, over all hosts. */
export interface IdleSessions {
  /** Waits for questions at a host. False when none came in time, or when the session has to make room. */
  wait(host: IdleHost): Promise<boolean>;
  /** Notes that questions have arrived at a host, before its sessions wake. */
  noteQuestion(host: IdleHost): void;
  /** Ends the session that is least likely to be needed, if any is idle. */
  endOne(): void;
}

/**
 * Bounds the idle sessions. Each takes some ninety kilobytes of ours and a place at its host. A list of many hosts with
 * few addresses leaves a hundred sessions a second behind, none of which is needed again. A list of many addresses comes
 * back to its hosts, and each session that ended too early costs a connection with its six round trips. So a host that
 * gets a question within the idle time of its last session keeps its next one, also when that last one had to leave:
 * while there is memory, sessions of such hosts have a higher bound.
 *
 * @param hasRoom - whether the process has memory for more than `idleSessionsMax` sessions
 */
export function createIdleSessions(clock: Clock, hasRoom: () => boolean): IdleSessions {
  /** Each in the order in which they began to wait. */
  const newcomers = new Set<(hasWork: boolean) => void>();
  const returning = new Set<(hasWork: boolean) => void>();

  function keepNewest(sessions: ReadonlySet<(hasWork: boolean) => void>, countMax: number): void {
    for (const wake of [...sessions].slice(0, Math.max(0, sessions.size - countMax))) {
      wake(false);
    }
  }

  function bound(): void {
    if (newcomers.size + returning.size <= idleSessionsMax) {
      return;
    }
    const returningMax = hasRoom() ? returningSessionsMax : idleSessionsMax;
    keepNewest(returning, returningMax);
    keepNewest(newcomers, Math.min(idleSessionsMax, returningMax - returning.size));
  }

  return {
    wait: host =>
      new Promise(resolve => {
        const { idle, isReturning } = host;
        const own = isReturning ? returning : newcomers;
        const wake = (hasWork: boolean) => {
          clearTimeout(timer);
          own.delete(wake);
          const position = idle.indexOf(wake);
          if (position >= 0) {
            idle.splice(position, 1);
          }
          resolve(hasWork);
        };
        // An idle session is no reason for a process to stay.
        const timer = setTimeout(() => {
          host.isReturning = false;
          wake(false);
        }, idleMs).unref();
        host.idleSinceMs = clock.nowMs();
        idle.push(wake);
        own.add(wake);
        bound();
      }),
    noteQuestion(host) {
      host.isReturning ||= host.idleSinceMs !== undefined && clock.nowMs() - host.idleSinceMs < idleMs;
    },
    endOne() {
      const sessions = newcomers.size > 0 ? newcomers : returning;
      keepNewest(sessions, sessions.size - 1);
    },
  };
}
