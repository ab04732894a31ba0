import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/** A simulator that listens. */
export interface Listening {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Lets an application listen on loopback. Port 0 takes a free one. */
export async function listen(app: Express, port = 0): Promise<Listening> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
