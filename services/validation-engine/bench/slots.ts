/** Limits the concurrent sessions at each host; further ones wait in line. */
export function createSlots(perHostMax: number): (host: string, visit: () => Promise<void>) => Promise<void> {
  const hosts = new Map<string, { open: number; readonly waiting: (() => void)[] }>();
  return async (name, visit) => {
    const host = hosts.get(name) ?? { open: 0, waiting: [] };
    hosts.set(name, host);
    if (host.open < perHostMax) {
      host.open += 1;
    } else {
      // A session that ends hands over its slot, so that no other session can take it in between.
      await new Promise<void>(resolve => host.waiting.push(resolve));
    }
    try {
      await visit();
    } finally {
      const next = host.waiting.shift();
      if (next) {
        next();
      } else {
        host.open -= 1;
      }
    }
  };
}
