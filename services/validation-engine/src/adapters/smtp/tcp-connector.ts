import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { type Deadline, isOver, underOwnSignal } from '../../domain/concurrency/deadline.ts';
import type {
  ConnectOutcome,
  SmtpConnection,
  SmtpConnector,
  SmtpFailure,
} from '../../domain/smtp/connection.ts';
import { createLineChannel, type LineChannel } from './line-channel.ts';

/**
 * Old hosts support nothing better, and even weak encryption is no worse than the clear text it replaces (RFC 7435).
 */
const anyTls = createSecureContext({ minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });

/** An address that takes longer is skipped; the next one may be faster. */
const connectTimeoutMs = 5_000;

/** A lost SYN is retransmitted after one second (RFC 6298 section 2), so a live host connects within this time. */
const slowConnectMs = 1_500;

/**
 * Hosts that connect within this time, in milliseconds, are near. Waiting for a session ticket costs a round trip and
 * saves a delayed acknowledgment, which takes 40 ms or more.
 */
const nearMs = 10;

/** How long a host takes to make its ticket, in milliseconds. A host without tickets costs this and two round trips. */
const ticketMs = 2;

/** Opens SMTP connections over TCP. It uses the address as it is and resolves no name. */
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
      // Clear text that the host sent after its reply is dropped with the channel: an attacker in the middle may have
      // injected it to pass for an answer inside TLS.
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
 * Waits for the host's session ticket, which comes right after the handshake of TLS 1.3 (RFC 8446 section 4.6.1). Our
 * next line then carries the acknowledgment of the ticket. A line sent earlier does not. A host that sends no small
 * packet until the last one is acknowledged (Nagle's algorithm, RFC 9293 section 3.7.4), such as Postfix, then holds
 * back its reply until our system's delayed acknowledgment.
 */
function awaitTicket(secure: TLSSocket, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      secure.off('session', arrived).off('close', settle);
      resolve();
    };
    // The event fires while OpenSSL reads; anything written before OpenSSL has finished is lost.
    const arrived = () => setImmediate(settle);
    const timer = setTimeout(settle, timeoutMs);
    signal.addEventListener('abort', settle, { once: true });
    secure.once('session', arrived).once('close', settle);
  });
}

/** Waits for an event; false if the socket closes, time runs out or no caller waits. */
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

/** An address literal as defined in RFC 5321 section 4.1.3. */
function literalOf(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
}

/** Where sessions come from, as hosts see it. */
export interface SourceRoute {
  readonly proxy?: SocksProxy | undefined;
  /** Addresses to connect from. A host is not contacted if no address here has its family. */
  readonly localAddresses?: readonly string[] | undefined;
}

/** A SOCKS5 proxy (RFC 1928), with the name and password that it may require (RFC 1929). */
interface SocksProxy {
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** Error codes by which the system says that it has no address or no socket left for us. */
const ownFailures: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE']);

/** Opens a connection to an address and port, directly or through the proxy. Leaves nothing open after a failure. */
async function openSocket(
  address: string,
  port: number,
  route: SourceRoute,
  deadline: Deadline,
): Promise<Socket | SmtpFailure> {
  const { proxy, localAddresses } = route;
  const localAddress = localAddresses?.find(local => isIPv6(local) === isIPv6(address));
  if (localAddresses !== undefined && localAddress === undefined) {
    return 'no_local_address';
  }
  const socket = connect({
    host: proxy?.host ?? address,
    port: proxy?.port ?? port,
    noDelay: true,
    ...(localAddress !== undefined && { localAddress }),
  });
  // Without this listener, an error would end the process; every failure shows in the `close` that follows.
  socket.on('error', () => undefined);
  const failure =
    (await connectSocket(socket, deadline, proxy)) ??
    (proxy && (await askProxy(socket, proxy, { host: address, port }, deadline)));
  if (failure) {
    socket.destroy();
    return failure;
  }
  return socket;
}

async function connectSocket(
  socket: Socket,
  deadline: Deadline,
  proxy: SocksProxy | undefined,
): Promise<SmtpFailure | undefined> {
  try {
    await underOwnSignal(deadline.signal, async tooLate => {
      const timer = setTimeout(() => tooLate.abort(), deadline.remainingMs());
      await once(socket, 'connect', { signal: tooLate.signal }).finally(() => clearTimeout(timer));
    });
    return undefined;
  } catch (error) {
    if (ownFailures.has((error as NodeJS.ErrnoException).code)) {
      return 'no_local_address';
    }
    return proxy ? 'proxy_failed' : 'unreachable';
  }
}

/** The proxy's errors about the host (RFC 1928 section 6); all its other errors are about itself or us. */
const hostFailures = /NetworkUnreachable|HostUnreachable|ConnectionRefused|TTLExpired/;

/**
 * Asks the proxy for a connection. The proxy gets an address and never a name, because addresses that it resolved
 * itself would be unchecked.
 */
async function askProxy(
  socket: Socket,
  { host, port, user, password }: SocksProxy,
  destination: { readonly host: string; readonly port: number },
  deadline: Deadline,
): Promise<SmtpFailure | undefined> {
  const hangUp = () => socket.destroy();
  deadline.signal.addEventListener('abort', hangUp, { once: true });
  try {
    // Loaded with the first connection through a proxy.
    const { SocksClient } = await import('socks');
    await SocksClient.createConnection({
      command: 'connect',
      existing_socket: socket,
      destination,
      // Never 0, for which the library would use its own default.
      timeout: Math.max(1, Math.ceil(deadline.remainingMs())),
      proxy: {
        type: 5,
        host,
        port,
        ...(user !== undefined && { userId: user }),
        ...(password !== undefined && { password }),
      },
    });
    return undefined;
  } catch (error) {
    return failureOf(error as Error, socket.bytesRead >= answersBeforeConnecting(user));
  } finally {
    deadline.signal.removeEventListener('abort', hangUp);
  }
}

/** How many octets a proxy has sent before it connects us: the choice of method, then the result of the login. */
function answersBeforeConnecting(user: string | undefined): number {
  return user === undefined ? 2 : 4;
}

/** A proxy that agreed to everything and then stays silent is waiting for the host. */
function failureOf({ message }: Error, wasAsked: boolean): SmtpFailure {
  return hostFailures.test(message) || (wasAsked && /timed out/i.test(message))
    ? 'unreachable'
    : 'proxy_failed';
}
