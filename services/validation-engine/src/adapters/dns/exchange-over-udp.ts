import { createSocket } from 'node:dgram';
import { type Exchange, waitForAnswer } from './exchange.ts';

/** Larger datagrams than even careless servers send (RFC 6891 section 6.2.5). */
const datagramOctetsMax = 4_096;

/**
 * Asks in a datagram. Each question has a socket of its own, bound to a port that the kernel draws, which a forger
 * would have to guess besides the identifier (RFC 5452 section 9.2). The socket is connected, so that the kernel drops
 * what comes from elsewhere and tells when nobody listens there.
 */
export const exchangeOverUdp: Exchange = (server, query, deadline) =>
  waitForAnswer(query, deadline, ear => {
    const socket = createSocket(server.family === 6 ? 'udp6' : 'udp4');
    let closed = false;
    socket.on('error', () => ear.fail('refused'));
    socket.on('message', octets => {
      if (!closed && octets.length <= datagramOctetsMax) {
        ear.hear(octets);
      }
    });
    socket.connect(server.port, server.address, () => {
      if (!closed) {
        socket.send(query.octets);
      }
    });
    return () => {
      closed = true;
      socket.close();
    };
  });
