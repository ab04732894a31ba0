import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is wrong with a connection between two programs. */
export type Trouble =
  /** Every piece waits so long on its way, in both directions. */
  | { readonly kind: 'latency'; readonly latencyMs: number }
  /** Nothing passes until the trouble is over; what was held back arrives then. */
  | { readonly kind: 'stall' }
  /** As behind a firewall that forgot the connection: nothing passes, and what stood meanwhile never works again. */
  | { readonly kind: 'silence' }
  /** Of so many pieces of answers one is cut in half, and the connection is reset. */
  | { readonly kind: 'reset'; readonly everyPieces: number };

/**
 * Stands in front of a program as a Service of Kubernetes does: a new connection goes to one of those that are ready, in
 * turn, and stays there until somebody closes it. Besides, it makes trouble.
 */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections go from now on; without any they are refused. */
  aimAt(ports: readonly number[]): void;
  /** Makes trouble from now on, for connections that stand already too; without an argument, none. */
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

  /** Lets the pieces of one direction pass, each when its time has come. */
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
    // Whoever asks and goes away is not waited for; an answer is still delivered when its sender has gone.
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
