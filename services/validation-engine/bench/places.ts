/** Lets a bounded number of sessions be at each host at once; the others wait in line. */
export function createPlaces(
  perHostMax: number,
): (host: string, visit: () => Promise<void>) => Promise<void> {
  const hosts = new Map<string, { open: number; readonly waiting: (() => void)[] }>();
  return async (name, visit) => {
    const host = hosts.get(name) ?? { open: 0, waiting: [] };
    hosts.set(name, host);
    if (host.open < perHostMax) {
      host.open += 1;
    } else {
      // Whoever leaves hands over their place, so that nobody can come in between.
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
