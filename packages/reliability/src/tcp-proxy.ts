import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '@mailproof/dev-house';

/** A fault of the connections between two programs. */
export type Trouble =
  /** Every chunk is delayed by this time, in both directions. */
  | { readonly kind: 'latency'; readonly latencyMs: number }
  /** No data passes until the fault ends; the held data arrives then. */
  | { readonly kind: 'stall' }
  /**
   * As behind a firewall that lost its connection state: no data passes, and the affected connections never work again.
   */
  | { readonly kind: 'silence' }
  /** One in this many response chunks is cut in half, and the connection is reset. */
  | { readonly kind: 'reset'; readonly everyPieces: number };

/**
 * Acts like a Kubernetes Service in front of a program: it assigns new connections to the ready replicas in turn, and
 * they stay there until one side closes them. It can also inject faults.
 */
export interface TcpProxy {
  readonly port: number;
  /** Sets the ports for new connections; without ports, new connections are refused. */
  aimAt(ports: readonly number[]): void;
  /** Injects a fault from now on, also into open connections; without an argument, ends the fault. */
  trouble(trouble?: Trouble): void;
  close(): Promise<void>;
}

export async function openTcpProxy(): Promise<TcpProxy> {
  let targets: readonly number[] = [];
  let turn = 0;
  let trouble: Trouble | undefined;
  let over = new AbortController();
  let pieces = 0;
  const open = new Set<Socket>();

  /** Passes on the chunks of one direction, each at its time. */
  async function* pass(from: AsyncIterable<Buffer>, isAnswer: boolean, reset: () => void) {
    for await (const piece of from) {
      const now = trouble;
      if (now?.kind === 'latency') await sleep(now.latencyMs);
      if (now?.kind === 'stall') await once(over.signal, 'abort').catch(() => undefined);
      if (now?.kind === 'silence') await new Promise(() => undefined);
      if (isAnswer) pieces += 1;
      if (now?.kind === 'reset' && isAnswer && pieces % now.everyPieces === 0) {
        yield piece.subarray(0, piece.length / 2);
        reset();
        return;
      }
      yield piece;
    }
  }

  function serve(client: Socket): void {
    const target = targets[turn++ % targets.length];
    if (target === undefined) return void client.resetAndDestroy();
    const server = connect({ port: target, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', () => undefined).once('close', () => open.delete(socket));
    }
    // Closes the connection to the server when the client disconnects. If the server disconnects, its response is still
    // delivered.
    client.once('close', () => server.destroy());
    const reset = () => {
      client.resetAndDestroy();
      server.resetAndDestroy();
    };
    pipeline(client, from => pass(from, false, reset), server).catch(() => undefined);
    pipeline(server, from => pass(from, true, reset), client).catch(() => undefined);
  }

  const listener = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    aimAt(ports) {
      targets = ports;
    },
    trouble(wanted) {
      trouble = wanted;
      over.abort();
      over = new AbortController();
    },
    async close() {
      for (const socket of open) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** Proxies in front of all replicas of a service: for the internal port, and for the public port if there is one. */
export interface ServiceProxy {
  /** Leads to the `PORT` of the replicas. */
  readonly url: string;
  /** The proxy for peers; the same address if there is no public side. */
  readonly internalUrl: string;
  aimAt(replicas: readonly ServiceProcess[]): void;
  trouble(trouble?: Trouble): void;
  close(): Promise<void>;
}

export async function openServiceProxy(hasPublicSide: boolean): Promise<ServiceProxy> {
  const outer = await openTcpProxy();
  const inner = hasPublicSide ? await openTcpProxy() : outer;
  const both = new Set([outer, inner]);
  return {
    url: urlOf(outer),
    internalUrl: urlOf(inner),
    aimAt(replicas) {
      outer.aimAt(replicas.map(({ url }) => portOf(url)));
      inner.aimAt(replicas.map(({ internalUrl }) => portOf(internalUrl)));
    },
    trouble(trouble) {
      for (const proxy of both) proxy.trouble(trouble);
    },
    async close() {
      for (const proxy of both) await proxy.close();
    },
  };
}

function urlOf({ port }: TcpProxy): string {
  return `http://127.0.0.1:${port}`;
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
