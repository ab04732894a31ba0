import { randomInt } from 'node:crypto';
import getPort from 'get-port';

const attemptsMax = 20;

/**
 * A port on loopback that nobody listens on. It lies below the range from which systems number outgoing
 * connections: a port of that range could be taken between this answer and the moment a server binds it.
 */
export async function freePort(): Promise<number> {
  const candidates = Array.from({ length: attemptsMax }, () => randomInt(20_000, 32_000));
  return getPort({ host: '127.0.0.1', port: candidates });
}

/** The preferred port, or the next free one of the nine above it, or any free one. */
export async function portNear(preferred: number): Promise<number> {
  const candidates = Array.from({ length: 10 }, (_, step) => preferred + step).filter(port => port <= 65_535);
  return getPort({ host: '127.0.0.1', port: candidates });
}
