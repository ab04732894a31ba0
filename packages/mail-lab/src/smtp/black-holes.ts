import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/**
 * Listens without ever accepting: the thread sleeps as soon as it listens. Plain JavaScript, because the thread is
 * started from this text wherever the package is compiled to.
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

/** Connections that a queue of length 1 holds on Linux; all further ones get no answer to their SYN. */
const connectionsHeld = 2;

/**
 * Makes addresses at which packets are lost: a client that dials one gets no answer.
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
