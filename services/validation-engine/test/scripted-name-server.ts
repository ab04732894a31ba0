import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Answer, type DecodedPacket, decode, encode, type Packet } from 'dns-packet';

export interface NameServerScript {
  /** The answer to a datagram: nothing, or any number of datagrams in this order. */
  readonly datagrams?: (query: DecodedPacket) => readonly Buffer[];
  /** The handling of a connection once a query has arrived on it. */
  readonly stream?: (query: DecodedPacket, socket: Socket) => void;
}

export interface ScriptedNameServer {
  /** In the format of the setting: `127.0.0.1:5353` or `[::1]:5353`. */
  readonly server: string;
  readonly queries: readonly DecodedPacket[];
  /** Source ports of the datagrams. */
  readonly ports: readonly number[];
  connectionsOpen(): number;
  close(): Promise<void>;
}

/** Starts a name server that sends exactly what a test specifies, however wrong. */
export async function startNameServer(
  { datagrams = () => [], stream = (_query, socket) => socket.destroy() }: NameServerScript,
  address = '127.0.0.1',
): Promise<ScriptedNameServer> {
  const queries: DecodedPacket[] = [];
  const ports: number[] = [];
  const open = new Set<Socket>();
  const tcp = createServer(socket => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', octets => {
      const query = decode(octets.subarray(2));
      queries.push(query);
      stream(query, socket);
    });
  }).listen(0, address);
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (octets, from) => {
    const query = decode(octets);
    queries.push(query);
    ports.push(from.port);
    for (const datagram of datagrams(query)) {
      udp.send(datagram, from.port, from.address);
    }
  });
  udp.bind(port, address);
  await once(udp, 'listening');
  return {
    server: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    queries,
    ports,
    connectionsOpen: () => open.size,
    async close() {
      for (const socket of open) {
        socket.destroy();
      }
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

/** A well-formed answer, with records or with a response code or flags. */
export function answerTo(
  query: DecodedPacket,
  answers: readonly Answer[],
  flags = 0,
  more: Packet = {},
): Buffer {
  return encode({
    type: 'response',
    id: query.id,
    flags,
    questions: query.questions,
    answers: [...answers],
    ...more,
  });
}

export function mx(preference: number, exchange: string, name = 'a.example'): Answer {
  return { name, type: 'MX', ttl: 60, data: { preference, exchange } };
}

export function alias(name: string, target: string): Answer {
  return { name, type: 'CNAME', ttl: 60, data: target };
}

/** A message with its length prefix, as over TCP (RFC 1035 section 4.2.2). */
export function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
