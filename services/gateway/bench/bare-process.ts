import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/** What a process of the bare pair is told by the benchmark. */
export interface BareSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Where the second process of the pair listens. */
  readonly secondUrl: string;
  readonly connectionsMax: number;
  readonly requestsPerSecond: number;
}

/** Listens on any free port of loopback, tells the parent which, and ends with it. */
export function serveBare(open: (settings: BareSettings) => Express | Promise<Express>): void {
  process.once('message', async (settings: BareSettings) => {
    const app = await open(settings);
    const server = app.listen(0, '127.0.0.1', () => {
      process.send?.((server.address() as AddressInfo).port);
    });
    server.keepAliveTimeout = 65_000;
  });
  process.once('disconnect', () => process.exit());
}
