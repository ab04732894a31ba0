import type { Clock } from '../../deadline.ts';
import type { HostQueue } from './host-queue.ts';
import { idleMs, idleSessionsMax, returningSessionsMax } from './limits.ts';

/** The state of a host between two questions. */
export type IdleHost = Pick<HostQueue, 'idle' | 'idleSinceMs' | 'isReturning'>;

/** Sessions that have nothing to do, over all hosts. */
export interface IdleSessions {
  /** Waits for questions at a host. False when none arrived in time, or when the session must end to make room. */
  wait(host: IdleHost): Promise<boolean>;
  /** Records that questions have arrived at a host, before its sessions wake. */
  noteQuestion(host: IdleHost): void;
  /** Ends the session that is least likely to be needed, if any is idle. */
  endOne(): void;
}

/**
 * Bounds the idle sessions. Each takes about 90 kB of our memory and a connection at its host. A list of many hosts
 * with few addresses leaves a hundred sessions a second behind, and needs none of them again. A list with many
 * addresses per host returns to its hosts, and each session that ended too early costs a connection with its six round
 * trips. So a host that gets a question within the idle time of its last session keeps its next session, even if the
 * last one was ended to make room: sessions of such hosts have a bound of their own.
 */
export function createIdleSessions(clock: Clock): IdleSessions {
  /** Each in the order in which they started to wait. */
  const newcomers = new Set<(hasWork: boolean) => void>();
  const returning = new Set<(hasWork: boolean) => void>();

  function endOldest(sessions: ReadonlySet<(hasWork: boolean) => void>): void {
    const [oldest] = sessions;
    oldest?.(false);
  }

  return {
    wait: host =>
      new Promise(resolve => {
        const { idle, isReturning } = host;
        const [own, max] = isReturning ? [returning, returningSessionsMax] : [newcomers, idleSessionsMax];
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
        if (own.size > max) {
          endOldest(own);
        }
      }),
    noteQuestion(host) {
      host.isReturning ||= host.idleSinceMs !== undefined && clock.nowMs() - host.idleSinceMs < idleMs;
    },
    endOne() {
      endOldest(newcomers.size > 0 ? newcomers : returning);
    },
  };
}
