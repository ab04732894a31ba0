import type { Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { type Deadline, isOver } from '../../domain/deadline.ts';
import type {
  ConnectOutcome,
  SmtpConnection,
  SmtpConnector,
  SmtpFailure,
} from '../../domain/smtp/connection.ts';
import { createLineChannel, type LineChannel } from './line-channel.ts';
import { openSocket, type SourceRoute } from './open-socket.ts';

/** Old hosts know nothing better, and even weak encryption is no worse than the clear text that it replaces (RFC 7435). */
const anyTls = createSecureContext({ minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });

/** An address that takes longer is passed over; the next one may be quicker. */
const connectTimeoutMs = 5_000;

/** A lost SYN is sent again after a second (RFC 6298 section 2), so that a living host connects within this time. */
const slowConnectMs = 1_500;

/**
 * Hosts that connect within this time, in milliseconds, are near. The wait for a session ticket costs a round trip and
 * saves a delayed acknowledgment, which takes 40 ms and more.
 */
const nearMs = 10;

/** A host makes its ticket in this time, in milliseconds. A host without tickets costs this and two round trips. */
const ticketMs = 2;

/** Opens SMTP connections over TCP. The address is used as it is: no name is resolved here. */
export function createTcpConnector(port: number, route: SourceRoute = {}): SmtpConnector {
  return {
    async connect(address, deadline, onSlow): Promise<ConnectOutcome> {
      if (isOver(deadline)) {
        return { kind: 'failure', failure: 'unreachable' };
      }
      const timer = onSlow && setTimeout(onSlow, slowConnectMs);
      const sinceMs = performance.now();
      const socket = await openSocket(address, port, route, {
        signal: deadline.signal,
        remainingMs: () => Math.min(connectTimeoutMs, deadline.remainingMs()),
      });
      clearTimeout(timer);
      return typeof socket === 'string'
        ? { kind: 'failure', failure: socket }
        : { kind: 'connected', connection: createConnection(socket, performance.now() - sinceMs) };
    },
  };
}

/** @param roundTripMs how long the host, or the proxy before it, took to connect */
function createConnection(plain: Socket, roundTripMs: number): SmtpConnection {
  let socket = plain;
  let channel: LineChannel = createLineChannel(plain);

  return {
    localLiteral: literalOf(plain.localAddress ?? ''),
    listen: deadline => channel.next(deadline),
    send(commands) {
      const unasked = channel.readUnasked();
      if (unasked === undefined && commands.length > 0) {
        socket.write(commands.map(command => `${command}\r\n`).join(''));
      }
      return unasked;
    },
    async startTls(serverName, deadline): Promise<SmtpFailure | undefined> {
      // What the host sent in the clear after its reply is dropped with the channel: somebody in between may have
      // put it there to be taken for an answer inside TLS.
      channel.release();
      const secure = connectTls({
        socket: plain,
        rejectUnauthorized: false,
        secureContext: anyTls,
        ...(serverName !== undefined && { servername: serverName }),
      });
      secure.on('error', () => undefined);
      if (!(await happens(secure, 'secureConnect', deadline))) {
        secure.destroy();
        return 'tls_failed';
      }
      socket = secure;
      channel = createLineChannel(secure);
      if (roundTripMs <= nearMs && secure.getProtocol() === 'TLSv1.3') {
        const leftMs = Math.min(ticketMs + 2 * roundTripMs, deadline.remainingMs());
        await awaitTicket(secure, leftMs, deadline.signal);
      }
      return undefined;
    },
    close() {
      socket.destroy();
      plain.destroy();
    },
  };
}

/**
 * Waits until the host has sent a session ticket, which comes right after the handshake of TLS 1.3 (RFC 8446 section
 * 4.6.1). Our next line then carries the acknowledgment of the ticket. A line that is sent earlier does not, and a host
 * that sends no small packet before the last one is acknowledged (Nagle's algorithm, RFC 9293 section 3.7.4), such as
 * Postfix, holds its reply back until our system's delayed acknowledgment.
 */
function awaitTicket(secure: TLSSocket, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      secure.off('session', arrived).off('close', settle);
      resolve();
    };
    // The event comes while OpenSSL reads; what is written before it has finished is lost.
    const arrived = () => setImmediate(settle);
    const timer = setTimeout(settle, timeoutMs);
    signal.addEventListener('abort', settle, { once: true });
    secure.once('session', arrived).once('close', settle);
  });
}

/** Waits for an event; false when the socket closes, time is up or nobody waits any more. */
function happens(socket: Socket, event: string, deadline: Deadline): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (happened: boolean) => {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', fail);
      socket.off(event, succeed).off('close', fail);
      resolve(happened);
    };
    const succeed = () => settle(true);
    const fail = () => settle(false);
    const timer = setTimeout(fail, deadline.remainingMs());
    deadline.signal.addEventListener('abort', fail, { once: true });
    socket.once(event, succeed).once('close', fail);
  });
}

/** An address literal after RFC 5321 section 4.1.3. */
function literalOf(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
}
