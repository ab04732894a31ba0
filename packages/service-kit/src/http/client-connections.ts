import type { Socket } from 'node:net';
import { networkOf } from '../net/client-network.ts';

/** Returns when a connection began to wait, by any clock; undefined if it does not wait. */
export type WaitsSinceMs = (socket: Socket) => number | undefined;

const heldBackSince = new WeakMap<Socket, number>();

/**
 * Marks a connection whose answer is delayed on purpose, so that it can be closed to make room, like one that waits.
 * The mark stays, so the connection must close after that answer.
 */
export function holdBack(socket: Socket): void {
  heldBackSince.set(socket, performance.now());
}

/** Returns when the delay of a connection's answer began, by `performance.now`. */
export function heldBackSinceMs(socket: Socket): number | undefined {
  return socket.destroyed ? undefined : heldBackSince.get(socket);
}

/** The open connections of clients, by network. Connections of proxies carry many clients and are not included. */
export interface ClientConnections {
  /** Adds a connection until it closes. Returns false, and does not add it, if its network has too many. */
  add(socket: Socket): boolean;
  /**
   * Ends the connection that has waited longest for its client, in the network with the most connections. A network
   * with few connections loses an upload only if no other connection waits: otherwise an attacker with many networks
   * and one silent connection from each could end the uploads of others. Returns false if no connection waits.
   */
  endOne(waits: Waits): boolean;
}

export interface Waits {
  /** One function per way of waiting without a body, in the order in which they end. */
  readonly withoutBody: readonly WaitsSinceMs[];
  readonly forBody: WaitsSinceMs;
}

export function createClientConnections(options: {
  /** Maximum number of open connections of one client address (of one /64 for IPv6). */
  readonly perAddressMax: number;
  /** A network with up to this number of connections counts as having few. */
  readonly fewMax: number;
  readonly isProxy: (address: string) => boolean;
}): ClientConnections {
  const byNetwork = new Map<string, Set<Socket>>();
  return {
    add(socket) {
      const address = socket.remoteAddress;
      if (address !== undefined && options.isProxy(address)) {
        return true;
      }
      const network = networkOf(address);
      const sockets = byNetwork.get(network) ?? new Set();
      if (sockets.size >= options.perAddressMax) {
        return false;
      }
      byNetwork.set(network, sockets.add(socket));
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size === 0) {
          byNetwork.delete(network);
        }
      });
      return true;
    },
    endOne({ withoutBody, forBody }) {
      const largestFirst = [...byNetwork.values()].sort((one, other) => other.size - one.size);
      const all = [...withoutBody, forBody];
      return (
        largestFirst.some(sockets =>
          endLongest(sockets, sockets.size > options.fewMax ? all : withoutBody),
        ) || largestFirst.some(sockets => endLongest(sockets, [forBody]))
      );
    },
  };
}

function endLongest(sockets: ReadonlySet<Socket>, waits: readonly WaitsSinceMs[]): boolean {
  for (const waitsSinceMs of waits) {
    const longest = longestWaiting(sockets, waitsSinceMs);
    if (longest !== undefined) {
      longest.destroy();
      return true;
    }
  }
  return false;
}

function longestWaiting(sockets: ReadonlySet<Socket>, waitsSinceMs: WaitsSinceMs): Socket | undefined {
  let longest: Socket | undefined;
  let leastMs = Number.POSITIVE_INFINITY;
  for (const socket of sockets) {
    const sinceMs = waitsSinceMs(socket) ?? Number.POSITIVE_INFINITY;
    if (sinceMs < leastMs) {
      leastMs = sinceMs;
      longest = socket;
    }
  }
  return longest;
}
