import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const piece = Buffer.alloc(65_536, ' ');
/** More than the buffers of a connection hold if its other end does not read, in octets. */
const large = 2 ** 25;

/** Begins a request, as any client on the internet can. */
async function begin(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // The receiver may reset the connection.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: ${2 * large}\r\n\r\n{"type":`);
  return socket;
}

/** Breaks the connection within the body, after the receiver has started to read it. */
export async function breakWithinBody(port: number): Promise<void> {
  const socket = await begin(port);
  await new Promise(resolve => setTimeout(resolve, 200));
  socket.resetAndDestroy();
}

/** Whether the receiver takes a body that is far larger than any webhook, instead of closing the connection. */
export async function takesLargeBody(port: number): Promise<boolean> {
  const socket = await begin(port);
  const closed = new Promise(done => socket.once('close', done));
  let sent = 0;
  while (!socket.destroyed && sent < large) {
    sent += piece.length;
    if (!socket.write(piece)) await Promise.race([closed, new Promise(done => socket.once('drain', done))]);
  }
  const isTaken = !socket.destroyed;
  socket.destroy();
  return isTaken;
}
