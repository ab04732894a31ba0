import { createSocket } from 'node:dgram';
import { getServers, Resolver } from 'node:dns';
import { connect, isIP, isIPv6 } from 'node:net';
import { createGathering } from '@mailproof/shared-types';
import { type Clock, type Deadline, isOver, within } from '../../domain/concurrency/deadline.ts';
import type { DnsFailure } from '../../domain/dns/mail-dns.ts';
import { createQuery, type Query } from './query.ts';
import { type Reading, readResponse } from './read-response.ts';
import type { RecordType } from './record-lookup.ts';

/** A reading that needs no other way of asking. */
type Finding<Type extends RecordType> = Exclude<
  Reading<Type>,
  { readonly kind: 'truncated' | 'perhaps_without_edns' }
>;

/** One exchange waits this long before the next; the deadline ends all of them. */
const exchangeTimeoutMs = 2_000;
const triesOfServerMax = 3;
const triesMax = 6;

/** Most telling first: a broken answer tells more than no answer. */
const failuresByWeight = ['servfail', 'refused', 'malformed', 'timeout'] as const;

/**
 * Asks the servers in turn until one answers for the name. A datagram may be lost, so servers that stayed silent are
 * asked again after the others; servers that said why they cannot answer are not.
 */
export async function askServers<Type extends RecordType>(
  servers: readonly NameServer[],
  name: string,
  type: Type,
  clock: Clock,
  deadline: Deadline,
): Promise<Finding<Type>> {
  const failures = new Set<DnsFailure>(['timeout']);
  const waiting = [...servers];
  for (let tries = 0; tries < Math.min(triesMax, servers.length * triesOfServerMax); tries += 1) {
    const server = waiting.shift();
    if (server === undefined || isOver(deadline)) {
      break;
    }
    const finding = await askServer(server, name, type, clock, deadline);
    if (finding.kind !== 'failure') {
      return finding;
    }
    failures.add(finding.failure);
    if (finding.failure === 'timeout' || finding.failure === 'malformed') {
      waiting.push(server);
    }
  }
  return { kind: 'failure', failure: failuresByWeight.find(failure => failures.has(failure)) ?? 'timeout' };
}

/**
 * Asks over UDP with EDNS, without EDNS if the server does not understand it, and over TCP if the answer is too long.
 * This takes at most four exchanges, because neither change is ever undone.
 */
async function askServer<Type extends RecordType>(
  server: NameServer,
  name: string,
  type: Type,
  clock: Clock,
  deadline: Deadline,
): Promise<Finding<Type>> {
  let exchange: Exchange = exchangeOverUdp;
  let hasEdns = true;
  for (;;) {
    const query = { ...createQuery(name, type, hasEdns), type };
    const reading = await exchange(server, query, within(clock, deadline, exchangeTimeoutMs));
    if (reading.kind === 'truncated') {
      if (exchange === exchangeOverTcp) {
        return { kind: 'failure', failure: 'malformed' };
      }
      exchange = exchangeOverTcp;
    } else if (reading.kind === 'perhaps_without_edns') {
      if (!hasEdns) {
        return { kind: 'failure', failure: reading.failure };
      }
      hasEdns = false;
    } else {
      return reading as Finding<Type>;
    }
  }
}

/** Performs one exchange. It never rejects, and holds no socket once it has ended. */
type Exchange = <Type extends RecordType>(
  server: NameServer,
  query: Query & { readonly type: Type },
  deadline: Deadline,
) => Promise<Reading<Type>>;

/** Receives the messages of an open connection, and learns when it ends. */
interface Listener {
  /** Takes a message; false if it does not answer our question. */
  receive(octets: Buffer): boolean;
  /** No further message can arrive. */
  fail(failure: 'refused' | 'malformed'): void;
}

/**
 * Waits for the one answer. Closes the socket as soon as the exchange ends: by an answer, a failure or a timeout, or
 * because no caller waits any longer. It skips an unreadable answer, since a readable one may follow; if none does, the
 * exchange fails as malformed.
 */
function waitForAnswer<Type extends RecordType>(
  query: Query & { readonly type: Type },
  deadline: Deadline,
  open: (listener: Listener) => () => void,
): Promise<Reading<Type>> {
  if (isOver(deadline)) {
    return Promise.resolve({ kind: 'failure', failure: 'timeout' });
  }
  return new Promise(resolve => {
    let settled = false;
    let silence: Reading<Type> = { kind: 'failure', failure: 'timeout' };
    const settle = (reading: Reading<Type>) => {
      if (!settled) {
        settled = true;
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', giveUp);
        close();
        resolve(reading);
      }
    };
    const giveUp = () => settle(silence);
    const close = open({
      receive(octets) {
        const reading = readResponse(octets, query);
        if (reading?.kind === 'failure' && reading.failure === 'malformed') {
          silence = reading;
        } else if (reading !== undefined) {
          settle(reading);
        }
        return reading !== undefined;
      },
      fail: failure => settle({ kind: 'failure', failure }),
    });
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** Larger datagrams than even careless servers send (RFC 6891 section 6.2.5). */
const datagramOctetsMax = 4_096;

/**
 * Sends the query in a datagram. Each query has its own socket, bound to a port that the kernel picks at random: a
 * forger has to guess it along with the identifier (RFC 5452 section 9.2). The socket is connected, so that the kernel
 * drops datagrams from elsewhere and reports a closed port.
 */
const exchangeOverUdp: Exchange = (server, query, deadline) =>
  waitForAnswer(query, deadline, listener => {
    const socket = createSocket(server.family === 6 ? 'udp6' : 'udp4');
    let closed = false;
    socket.on('error', () => listener.fail('refused'));
    socket.on('message', octets => {
      if (!closed && octets.length <= datagramOctetsMax) {
        listener.receive(octets);
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

/** The length prefix of every message, which limits a message to 65,535 octets (RFC 1035 section 4.2.2). */
const prefixOctets = 2;

/** Queries over TCP, on a new connection: too few answers need TCP for connections to be worth keeping. */
const exchangeOverTcp: Exchange = (server, query, deadline) =>
  waitForAnswer(query, deadline, listener => {
    const socket = connect({ host: server.address, port: server.port, noDelay: true });
    let connected = false;
    const read = createMessageReader();
    socket.on('connect', () => {
      connected = true;
      const prefix = Buffer.alloc(prefixOctets);
      prefix.writeUInt16BE(query.octets.length);
      // In one write, since some servers read only the first segment (RFC 7766 section 8).
      socket.write(Buffer.concat([prefix, query.octets]));
    });
    socket.on('data', (chunk: Buffer) => {
      const message = read(chunk);
      if (message === undefined) {
        return;
      }
      listener.receive(message);
      // Only the server can have sent this, and it does not answer the query. After an answer, this call does nothing.
      listener.fail('malformed');
    });
    // Without this listener, an error would end the process; every failure shows in the `close` that follows.
    socket.on('error', () => undefined);
    socket.on('close', () => listener.fail(connected ? 'malformed' : 'refused'));
    return () => {
      socket.destroy();
    };
  });

/** Takes octets as they arrive, and returns the first message once it is complete. */
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

export interface NameServer {
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
}

const portDefault = 53;

/** The given servers, or the machine's own. The latter are read for each query, because a machine changes networks. */
export function nameServers(given: readonly string[] | undefined): () => readonly NameServer[] {
  const fixed = given?.map(readNameServer);
  // Node reads /etc/resolv.conf, or the system's equivalent, for every new resolver.
  return () => fixed ?? new Resolver().getServers().map(readNameServer);
}

/** Reads `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` and `[2001:db8::53]:5353`. The text must be valid. */
export function readNameServer(text: string): NameServer {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const address = isIP(text) === 0 ? (bracketed ?? plain ?? text) : text;
  return {
    address,
    port: isIP(text) === 0 && port !== undefined ? Number(port) : portDefault,
    family: isIPv6(address) ? 6 : 4,
  };
}

/** The machine's own name servers, each with its port. */
export function systemServers(): string[] {
  return getServers().map(withPort);
}

/** Node's list omits the default port, and then also the brackets of an IPv6 address. */
function withPort(server: string): string {
  if (server.includes(':')) {
    return server.startsWith('[') ? server : `[${server}]:${portDefault}`;
  }
  return `${server}:${portDefault}`;
}
