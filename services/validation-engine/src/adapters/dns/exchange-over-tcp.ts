import { connect } from 'node:net';
import { createGathering } from '@mailproof/shared-types';
import { type Exchange, waitForAnswer } from './exchange.ts';

/** The length that goes before every message, which bounds it to 65,535 octets (RFC 1035 section 4.2.2). */
const prefixOctets = 2;

/** Asks over TCP, on a connection of its own: so few answers need one that keeping them open would save nothing. */
export const exchangeOverTcp: Exchange = (server, query, deadline) =>
  waitForAnswer(query, deadline, ear => {
    const socket = connect({ host: server.address, port: server.port, noDelay: true });
    let connected = false;
    const read = createMessageReader();
    socket.on('connect', () => {
      connected = true;
      const prefix = Buffer.alloc(prefixOctets);
      prefix.writeUInt16BE(query.octets.length);
      // In one piece, since some servers read no further than the first (RFC 7766 section 8).
      socket.write(Buffer.concat([prefix, query.octets]));
    });
    socket.on('data', (chunk: Buffer) => {
      const message = read(chunk);
      if (message === undefined) {
        return;
      }
      ear.hear(message);
      // Nobody but the server can have sent this, and it is not what was asked for; after an answer this does nothing.
      ear.fail('malformed');
    });
    // A socket without this listener would end the process; every failure shows in the `close` that follows.
    socket.on('error', () => undefined);
    socket.on('close', () => ear.fail(connected ? 'malformed' : 'refused'));
    return () => {
      socket.destroy();
    };
  });

/** Takes octets as they arrive, and answers the first message once it is complete. */
export function createMessageReader(): (chunk: Buffer) => Buffer | undefined {
  const gathered = createGathering<Buffer>(Buffer.concat);
  let octetsAwaited = prefixOctets;
  return chunk => {
    gathered.add(chunk);
    if (gathered.length < octetsAwaited) {
      return undefined;
    }
    const received = gathered.take();
    octetsAwaited = prefixOctets + received.readUInt16BE(0);
    if (received.length < octetsAwaited) {
      gathered.add(received);
      return undefined;
    }
    return received.subarray(prefixOctets, octetsAwaited);
  };
}
