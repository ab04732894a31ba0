import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SocksServerScript {
  /** The required name and password (RFC 1929). */
  readonly login?: readonly [user: string, password: string];
  /** A reply code instead of a connection (RFC 1928 section 6). */
  readonly refusal?: number;
  /** Stays silent from this point on. */
  readonly silentFrom?: 'greeting' | 'request';
  /** Disconnects instead of answering the request. */
  readonly hangsUp?: boolean;
}

export interface SocksServer {
  readonly port: number;
  /** The destinations that clients requested: the type of the address, and the address. */
  readonly requests: readonly { readonly type: number; readonly address: string; readonly port: number }[];
  connectionsOpen(): number;
  close(): Promise<void>;
}

const version = 5;
const ipv4 = 1;
const ipv6 = 4;

/** Starts a SOCKS5 proxy (RFC 1928) that really connects, or fails as the test specifies. */
export async function startSocksServer(script: SocksServerScript = {}): Promise<SocksServer> {
  const requests: { type: number; address: string; port: number }[] = [];
  const open = new Set<Socket>();
  const server = createServer(client => {
    open.add(client);
    client.on('close', () => open.delete(client)).on('error', () => undefined);
    serve(client, script, requests, open).catch(() => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connectionsOpen: () => open.size,
    async close() {
      for (const socket of open) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(
  client: Socket,
  script: SocksServerScript,
  requests: { type: number; address: string; port: number }[],
  open: Set<Socket>,
): Promise<void> {
  const greeting = await next(client);
  if (script.silentFrom === 'greeting') {
    return;
  }
  const method = script.login ? 2 : 0;
  if (!greeting.subarray(2, 2 + (greeting[1] ?? 0)).includes(method)) {
    client.end(Buffer.from([version, 0xff]));
    return;
  }
  client.write(Buffer.from([version, method]));
  if (script.login) {
    const login = await next(client);
    const userEnd = 2 + (login[1] ?? 0);
    const given = [login.subarray(2, userEnd), login.subarray(userEnd + 1)].map(String);
    const isRight = given[0] === script.login[0] && given[1] === script.login[1];
    client.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) {
      client.end();
      return;
    }
  }
  const request = await next(client);
  const destination = readDestination(request);
  requests.push(destination);
  if (script.silentFrom === 'request') {
    return;
  }
  if (script.hangsUp) {
    client.destroy();
    return;
  }
  if (script.refusal !== undefined) {
    client.end(answer(script.refusal));
    return;
  }
  const host = connect({ host: destination.address, port: destination.port });
  open.add(host);
  host.on('close', () => open.delete(host));
  host.on('error', () => client.end(answer(5)));
  host.on('connect', () => {
    client.write(answer(0));
    client.pipe(host).pipe(client);
    client.on('close', () => host.destroy());
    host.on('close', () => client.destroy());
  });
}

async function next(client: Socket): Promise<Buffer> {
  const [octets] = (await once(client, 'data')) as [Buffer];
  return octets;
}

function readDestination(request: Buffer): { type: number; address: string; port: number } {
  const type = request[3] ?? 0;
  const octets = request.subarray(4, -2);
  const address =
    type === ipv4
      ? [...octets].join('.')
      : type === ipv6
        ? (octets.toString('hex').match(/.{4}/g) ?? []).join(':')
        : octets.subarray(1).toString();
  return { type, address, port: request.readUInt16BE(request.length - 2) };
}

function answer(code: number): Buffer {
  return Buffer.from([version, code, 0, ipv4, 0, 0, 0, 0, 0, 0]);
}
