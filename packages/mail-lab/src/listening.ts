import type { Server } from 'node:net';

/**
 * Binds a server and waits until it listens.
 *
 * @returns the port, which is news when port 0 was asked for
 * @throws the bind error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`)
 */
export async function listen(server: Server, address: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

/** Stops listening; connections are the caller's to end, because the server waits for them. */
export function closeListener(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}
