import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, platform, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackOrder, AttackReport } from './run-attacks.ts';

/*
 * A separate process that attacks until it is told to stop. It writes HTTP directly to sockets, because client
 * libraries do not allow this misbehavior. It runs at low priority, so that it leaves the processors to the system
 * under attack, as a client on another machine would.
 */
setPriority(constants.priority.PRIORITY_LOW);

/** An address different from those of other clients, if loopback has more than one. */
const localAddress = platform() === 'linux' ? '127.66.0.1' : undefined;

/** Pause before a closed connection is replaced, in milliseconds. */
const reconnectMs = 50;

const seen = { connectionsOpened: 0, octetsSent: 0, answers: {} as Record<string, number> };
let isStopped = false;

process.on('message', (order: AttackOrder | 'stop') => {
  if (order === 'stop') {
    isStopped = true;
    process.send?.(seen satisfies AttackReport, () => process.exit());
    return;
  }
  if (order.kind === 'endless-lines') {
    for (const upload of order.uploads)
      void keepOpen(upload.url, socket => sendEndlessLine(order, upload, socket));
  } else {
    for (let count = 0; count < order.connections; count += 1) {
      void keepOpen(order.url, socket => sendPipelined(order, socket));
    }
  }
});
process.once('disconnect', () => process.exit());

/** Opens a connection, misbehaves on it, and opens another when it is closed. */
async function keepOpen(url: string, misbehave: (socket: Socket) => Promise<void>): Promise<void> {
  const { hostname, port } = new URL(url);
  while (!isStopped) {
    const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
    socket.on('error', () => undefined);
    socket.on('data', countAnswers);
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
    socket.once('connect', () => {
      seen.connectionsOpened += 1;
      misbehave(socket).catch(() => socket.destroy());
    });
    await closed;
    await sleep(reconnectMs);
  }
}

function countAnswers(octets: Buffer): void {
  for (const [, status = ''] of octets.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
    seen.answers[status] = (seen.answers[status] ?? 0) + 1;
  }
}

async function sendEndlessLine(
  { cookie, openingBytes, octetEveryMs }: Extract<AttackOrder, { kind: 'endless-lines' }>,
  { url, mediaType, opening }: { readonly url: string; readonly mediaType: string; readonly opening: string },
  socket: Socket,
): Promise<void> {
  const { host, pathname, search } = new URL(url);
  const head = [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    `Cookie: ${cookie}`,
    `Content-Type: ${mediaType}`,
    `Idempotency-Key: ${crypto.randomUUID()}`,
    'Transfer-Encoding: chunked',
  ].join('\r\n');
  await write(socket, `${head}\r\n\r\n`);
  const start = opening.padEnd(openingBytes, 'x');
  await write(socket, `${start.length.toString(16)}\r\n${start}\r\n`);
  while (socket.writable && !isStopped) {
    await write(socket, '1\r\nx\r\n');
    await sleep(octetEveryMs);
  }
}

async function sendPipelined(
  { url, requestsPerConnection, hasBodies }: Extract<AttackOrder, { kind: 'pipelined-requests' }>,
  socket: Socket,
): Promise<void> {
  const { host, pathname } = new URL(url);
  const get = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const post = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\n\r\n`;
  // A body, then request heads until just after the first kibibyte, because servers often read in chunks of that size.
  const gets = hasBodies ? Math.floor(1_020 / get.length) : 100;
  const some = hasBodies ? `x${get.repeat(gets)}${post}` : get.repeat(gets);
  if (hasBodies) await write(socket, post);
  for (let sent = 0; sent < requestsPerConnection && socket.writable; sent += gets) await write(socket, some);
}

async function write(socket: Socket, text: string): Promise<void> {
  seen.octetsSent += text.length;
  if (!socket.write(text)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
}
