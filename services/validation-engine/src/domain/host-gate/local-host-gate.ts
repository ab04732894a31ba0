import type { Deadline } from '../deadline.ts';
import type { HostGate, HostPlace } from './host-gate.ts';

/** A host gate within one process: for the command line, and for a service that cannot reach the others. */
export function createLocalHostGate(sessionsMax: number): HostGate {
  const hosts = new Map<string, { open: number; cap: number; waiting: (() => void)[] }>();

  function hostAt(address: string) {
    const host = hosts.get(address) ?? { open: 0, cap: sessionsMax, waiting: [] };
    hosts.set(address, host);
    return host;
  }

  function placeAt(address: string): HostPlace {
    let left = false;
    return {
      async leave(crowding) {
        const host = hostAt(address);
        if (left) {
          return host.open;
        }
        left = true;
        host.open -= 1;
        if (crowding === 'crowded' && host.open > 0) {
          host.cap = Math.max(1, Math.min(host.cap - 1, host.open));
        }
        host.waiting.shift()?.();
        if (host.open === 0 && host.waiting.length === 0 && host.cap === sessionsMax) {
          hosts.delete(address);
        }
        return host.open;
      },
    };
  }

  return {
    async enter(address, deadline): Promise<HostPlace | undefined> {
      const host = hostAt(address);
      while (host.open >= host.cap) {
        if (!(await turn(host.waiting, deadline))) {
          return undefined;
        }
      }
      host.open += 1;
      return placeAt(address);
    },
  };
}

/** Waits in line; false when time is up first. */
function turn(line: (() => void)[], deadline: Deadline): Promise<boolean> {
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
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    line.push(call);
    if (deadline.signal.aborted) {
      giveUp();
    }
  });
}
