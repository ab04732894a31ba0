/** Places at hosts: so many requests are on their way to one host at once, whichever pushes they belong to. */
export interface HostPlaces {
  /** Does the work when there is a place at the host; places go round in the order in which they were asked for. */
  take<Result>(host: string, work: () => Promise<Result>): Promise<Result>;
}

export function createHostPlaces(perHostMax: number): HostPlaces {
  const hosts = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();

  async function enter(name: string): Promise<void> {
    const host = hosts.get(name) ?? { taken: 0, waiting: [] };
    hosts.set(name, host);
    if (host.taken < perHostMax) {
      host.taken += 1;
      return;
    }
    await new Promise<void>(resolve => host.waiting.push(resolve));
  }

  function leave(name: string): void {
    const host = hosts.get(name);
    const next = host?.waiting.shift();
    if (next) {
      // The place goes from one to the other and is never free in between.
      next();
    } else if (host && --host.taken === 0) {
      hosts.delete(name);
    }
  }

  return {
    async take(host, work) {
      await enter(host);
      try {
        return await work();
      } finally {
        leave(host);
      }
    },
  };
}
