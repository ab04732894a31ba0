import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { closeListener, listen } from '../addresses.ts';
import type { DnsCounts } from '../counts.ts';
import { answerFor, type DnsQuery, forDatagram, readQuery } from './answer.ts';
import type { Zones } from './zones.ts';

export type DnsServer = {
  readonly port: number;
  counts(): DnsCounts;
  resetCounts(): void;
  close(): Promise<void>;
};

export type DnsServerOptions = {
  readonly zones: Zones;
  readonly address: string;
  /** The port; 0 for any port that is free for both UDP and TCP. */
  readonly port: number;
  /** Read for every response, so that the latency can change while the server runs. */
  readonly roundTripMs: () => number;
  readonly onUnscripted: (what: string) => void;
};

const idleConnectionMs = 10_000;
const bindAttemptsMax = 20;

/**
 * Serves the lab's zones over UDP and TCP on one address and port.
 *
 * @throws the bind error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`) when the port is not available
 */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { zones, roundTripMs, onUnscripted } = options;
  const connections = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let counts = noCounts();

  const { datagrams, streams, port } = await bindBoth(options.address, options.port);

  datagrams.on('message', (octets, from) => {
    const query = readQuery(octets);
    if (query === undefined) return;
    const reply = 'rejection' in query ? query.rejection : datagramAnswer(query);
    if (reply !== undefined) {
      // The socket may be closed, or the client may have gone: a name server ignores both.
      later(roundTripMs(), () => datagrams.send(reply, from.port, from.address, () => undefined));
    }
  });
  datagrams.on('error', () => undefined);

  streams.on('connection', connection => {
    connections.add(connection);
    connection.setTimeout(idleConnectionMs, () => connection.destroy());
    connection.on('error', () => connection.destroy());
    connection.on('close', () => connections.delete(connection));
    let chunks: Buffer[] = [];
    let octetsReceived = 0;
    let octetsAwaited = 2;
    // The first response of a connection also waits for the handshake's round trip, which takes no time on loopback.
    let roundTrips = 2;
    connection.on('data', octets => {
      chunks.push(octets);
      octetsReceived += octets.length;
      if (octetsReceived < octetsAwaited) return;
      let pending: Buffer = Buffer.concat(chunks);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        const query = readQuery(pending.subarray(2, end));
        pending = pending.subarray(end);
        if (query === undefined) continue;
        const reply = 'rejection' in query ? query.rejection : answer(query, 'tcp');
        if (reply !== undefined) {
          later(roundTrips * roundTripMs(), () => connection.write(withLength(reply)));
          roundTrips = 1;
        }
      }
      chunks = [pending];
      octetsReceived = pending.length;
      octetsAwaited = pending.length < 2 ? 2 : 2 + pending.readUInt16BE(0);
    });
  });

  function answer(query: DnsQuery, transport: 'udp' | 'tcp'): Buffer | undefined {
    const name = query.question.name.toLowerCase();
    const { type } = query.question;
    counts.queries += 1;
    if (transport === 'tcp') counts.overTcp += 1;
    const byType = counts.byName[name] ?? {};
    byType[type] = (byType[type] ?? 0) + 1;
    counts.byName[name] = byType;
    const lookup = zones.lookup(name, type);
    if (lookup.outcome === 'unscripted') onUnscripted(`DNS question ${type} ${name}`);
    return answerFor(query, lookup);
  }

  function datagramAnswer(query: DnsQuery): Buffer | undefined {
    const complete = answer(query, 'udp');
    if (complete === undefined) return undefined;
    const { octets, truncated } = forDatagram(query, complete);
    if (truncated) counts.truncated += 1;
    return octets;
  }

  function later(delayMs: number, act: () => void): void {
    if (delayMs <= 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, delayMs);
    timers.add(timer);
  }

  return {
    port,
    counts: () => structuredClone(counts),
    resetCounts: () => {
      counts = noCounts();
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      for (const connection of connections) connection.destroy();
      await Promise.all([closeListener(streams), new Promise<void>(resolve => datagrams.close(resolve))]);
    },
  };
}

/** Binds UDP and TCP to the same port. If any port is allowed, TCP picks one and UDP must get the same. */
async function bindBoth(
  address: string,
  wanted: number,
): Promise<{ datagrams: DatagramSocket; streams: Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const streams = createServer();
    const port = await listen(streams, address, wanted);
    const datagrams = createSocket('udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        datagrams.once('error', reject);
        datagrams.bind(port, address, () => {
          datagrams.off('error', reject);
          resolve();
        });
      });
      return { datagrams, streams, port };
    } catch (error) {
      datagrams.close();
      await closeListener(streams);
      if (wanted !== 0 || attempt === bindAttemptsMax) throw error;
    }
  }
}

function noCounts(): DnsCounts {
  return { queries: 0, overTcp: 0, truncated: 0, byName: Object.create(null) };
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
