import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/**
 * Listens but never accepts: the thread sleeps as soon as it listens. It is plain JavaScript because it is started from
 * this text, which is not compiled.
 */
const thread = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const { addresses, port, gate } = workerData;
  const fail = ({ code }) => parentPort.postMessage({ code });
  const listen = index => {
    if (index === addresses.length) {
      parentPort.postMessage({});
      setImmediate(() => {
        Atomics.wait(gate, 0, 0);
        process.exit();
      });
      return;
    }
    createServer().once('error', fail).listen({ host: addresses[index], port, backlog: 1 }, () => listen(index + 1));
  };
  listen(0);
`;

/** Connections that a queue of length 1 holds on Linux; other clients get no response to their SYN. */
const connectionsHeld = 2;

/**
 * Creates addresses that drop packets: a client that connects to one gets no response.
 *
 * @throws the bind error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`)
 */
export async function openBlackHoles(
  addresses: readonly string[],
  port: number,
): Promise<{ close(): Promise<void> }> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(thread, { eval: true, workerData: { addresses, port, gate } });
  const gone = once(worker, 'exit');
  const [{ code }] = (await once(worker, 'message')) as [{ code?: string }];
  const sockets: Socket[] = [];
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await worker.terminate();
    await gone;
  };
  if (code !== undefined) {
    await close();
    throw Object.assign(new Error(`A black hole could not be opened: ${code}.`), { code });
  }
  await Promise.all(
    addresses.flatMap(host =>
      Array.from({ length: connectionsHeld }, async () => {
        const socket = connect({ host, port });
        sockets.push(socket.on('error', () => undefined));
        await once(socket, 'connect');
      }),
    ),
  );
  return { close };
}
