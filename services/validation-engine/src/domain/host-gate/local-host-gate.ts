import { type Deadline, isOver } from '../concurrency/deadline.ts';
import type { Crowding, HostGate, HostSlot } from './host-gate.ts';
import { afterStart, afterThrottle, freshPace, type HostPace, isAtRest, waitMsOf } from './host-pace.ts';

interface Host {
  open: number;
  cap: number;
  pace: HostPace;
  readonly waiting: (() => void)[];
}

/** How many hosts are remembered before the first search for hosts that can be forgotten. */
const hostsAtEase = 1_000;

/**
 * A host gate within one process: for the command line, and for a service that cannot reach the other replicas. Without
 * `startsPerMinuteMax`, sessions may start as fast as slots become free.
 */
export function createLocalHostGate(
  sessionsMax: number,
  startsPerMinuteMax: number = Number.POSITIVE_INFINITY,
  nowMs: () => number = () => performance.now(),
): HostGate {
  const hosts = new Map<string, Host>();
  let hostsBeforeLook = hostsAtEase;

  function hostAt(address: string): Host {
    const known = hosts.get(address);
    if (known) {
      return known;
    }
    if (hosts.size >= hostsBeforeLook) {
      forgetIdle();
      hostsBeforeLook = Math.max(hostsAtEase, 2 * hosts.size);
    }
    const host: Host = { open: 0, cap: sessionsMax, pace: freshPace, waiting: [] };
    hosts.set(address, host);
    return host;
  }

  function forgetIdle(): void {
    const now = nowMs();
    for (const [address, host] of hosts) {
      if (isIdle(host) && isAtRest(host.pace, now)) {
        hosts.delete(address);
      }
    }
  }

  function isIdle({ open, waiting, cap }: Host): boolean {
    return open === 0 && waiting.length === 0 && cap === sessionsMax;
  }

  function slotAt(host: Host, startedAtMs: number, startedAlone: boolean): HostSlot {
    let left = false;
    return {
      async leave(crowding) {
        if (!left) {
          left = true;
          host.open -= 1;
          learn(host, crowding, startedAtMs, startedAlone);
          host.waiting.shift()?.();
        }
        return host.open;
      },
    };
  }

  function learn(host: Host, crowding: Crowding, startedAtMs: number, startedAlone: boolean): void {
    if (crowding === 'crowded' && host.open > 0) {
      host.cap = Math.max(1, Math.min(host.cap - 1, host.open));
    } else if (crowding === 'throttled' || (crowding === 'crowded' && startedAlone)) {
      host.pace = afterThrottle(host.pace, startsPerMinuteMax, startedAtMs, nowMs());
    }
  }

  function take(host: Host): HostSlot {
    const startedAtMs = nowMs();
    const startedAlone = host.open === 0;
    host.open += 1;
    host.pace = afterStart(host.pace, startedAtMs);
    return slotAt(host, startedAtMs, startedAlone);
  }

  /** Waits until a session may start, and takes the slot without another wait; undefined if it does not get one. */
  async function begin(host: Host, deadline: Deadline): Promise<HostSlot | undefined> {
    for (;;) {
      if (host.open >= host.cap) {
        if (!(await turn(host.waiting, deadline))) {
          return undefined;
        }
        continue;
      }
      const waitMs = waitMsOf(host.pace, startsPerMinuteMax, nowMs());
      if (waitMs === 0) {
        return take(host);
      }
      // The pace can only become slower, so waiting would not help.
      if (waitMs > deadline.remainingMs()) {
        return undefined;
      }
      await turn([], deadline, waitMs);
      if (isOver(deadline)) {
        return undefined;
      }
    }
  }

  return {
    async enter(address, deadline): Promise<HostSlot | undefined> {
      const host = hostAt(address);
      const slot = await begin(host, deadline);
      if (slot === undefined && host.open < host.cap) {
        // A waiter that got a slot but could not use it passes it on.
        host.waiting.shift()?.();
      }
      return slot;
    },
  };
}

/** Waits in line until called, up to the time limit; false if time runs out first. */
function turn(
  line: (() => void)[],
  deadline: Deadline,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (called: boolean) => {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', giveUp);
      const position = line.indexOf(call);
      if (position >= 0) {
        line.splice(position, 1);
      }
      resolve(called);
    };
    const call = () => settle(true);
    const giveUp = () => settle(false);
    const timer = setTimeout(giveUp, Math.min(timeoutMs, deadline.remainingMs()));
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    line.push(call);
    if (deadline.signal.aborted) {
      giveUp();
    }
  });
}
