import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import { type Deadline, underOwnSignal } from '../../domain/deadline.ts';
import type { SmtpFailure } from '../../domain/smtp/connection.ts';

/** From where sessions begin, as hosts see it. */
export interface SourceRoute {
  readonly proxy?: SocksProxy | undefined;
  /** Addresses to connect from; a host of a family that has none here is not connected to. */
  readonly localAddresses?: readonly string[] | undefined;
}

/** A SOCKS5 proxy (RFC 1928), with the name and password that it may want (RFC 1929). */
export interface SocksProxy {
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** By these the system says that it has no address or no socket left for us. */
const ownFailures: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE']);

/** Opens a connection to an address and port, straight or through the proxy. Nothing is left open after a failure. */
export async function openSocket(
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
  // A socket without this listener would end the process; every failure shows in the `close` that follows.
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

/** What the proxy says of the host (RFC 1928 section 6); everything else that it says is about itself or us. */
const hostFailures = /NetworkUnreachable|HostUnreachable|ConnectionRefused|TTLExpired/;

/**
 * Asks the proxy for a connection. It gets an address and never a name, since what it would resolve nobody has checked.
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
    await SocksClient.createConnection({
      command: 'connect',
      existing_socket: socket,
      destination,
      // Never 0, which the library takes for its own default.
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

/** Octets that a proxy has answered once it knows to whom we want to be connected: choice of method, then log-in. */
function answersBeforeConnecting(user: string | undefined): number {
  return user === undefined ? 2 : 4;
}

/** A proxy that agreed to everything and is silent is waiting for the host. */
function failureOf({ message }: Error, wasAsked: boolean): SmtpFailure {
  return hostFailures.test(message) || (wasAsked && /timed out/i.test(message))
    ? 'unreachable'
    : 'proxy_failed';
}
