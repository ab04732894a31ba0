import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureVersion, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Deadline, deadlineAfter } from '../../domain/concurrency/deadline.ts';
import type { SmtpConnection, SmtpOutcome } from '../../domain/smtp/connection.ts';
import { createTcpConnector } from './tcp-connector.ts';

const clock = { nowMs: () => performance.now() };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});

function inTime(timeoutMs = 20_000, signal = new AbortController().signal) {
  return deadlineAfter(clock, timeoutMs, signal);
}

/** Self-signed, for `another.example`, and expired in 2011: made only for this test. */
const poorCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBGzCBwgIBATAKBggqhkjOPQQDAjAaMRgwFgYDVQQDDA9hbm90aGVyLmV4YW1w
bGUwHhcNMTAwMTAxMDAwMDAwWhcNMTEwMTAxMDAwMDAwWjAaMRgwFgYDVQQDDA9h
bm90aGVyLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASYbxZ0dUM0
T/rJO8Ksnfmv7vkF4ePUsboisKCLBFak19FogZClhCiXh+d8NlN90QwMiGtZf5nP
FeYENRpOU+ROMAoGCCqGSM49BAMCA0gAMEUCIGiW7tsFPLTEmll6BOGJ2lKZtfFq
s4u/P8Khz57j5S1wAiEA+rfNn804iPneIt+yXltyqx5FeX/i7wnkgUKgXQ+cnzw=
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgj9KlSDWNFj8eba38
1Zg55vpV45S1exlfXUtj3XHvq7GhRANCAASYbxZ0dUM0T/rJO8Ksnfmv7vkF4ePU
sboisKCLBFak19FogZClhCiXh+d8NlN90QwMiGtZf5nPFeYENRpOU+RO
-----END PRIVATE KEY-----`,
};

/**
 * Greets, agrees to STARTTLS and supports only one version of TLS.
 *
 * @param think calls its argument to send the reply
 */
function speakOnly(version: SecureVersion, think = (answer: () => void) => answer()) {
  return (socket: Socket) => {
    socket.write('220 mx\r\n');
    socket.once('data', () => {
      socket.write('220 go\r\n');
      const secureContext = createSecureContext({
        ...poorCertificate,
        minVersion: version,
        maxVersion: version,
        ciphers: 'DEFAULT@SECLEVEL=0',
      });
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on('error', () => undefined).on('data', () => think(() => secure.write('250 heard in TLS\r\n')));
    });
  };
}

/** The minimum time that Linux waits before it acknowledges a packet without data to send (TCP_DELACK_MIN). */
const delayedAcknowledgmentMs = 40;

/** Starts a host on its own port that behaves as the test specifies. */
async function serve(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; gone: Promise<unknown> }> {
  let left: (value?: unknown) => void;
  const gone = new Promise(resolve => {
    left = resolve;
  });
  const server = createServer(socket => {
    socket.on('error', () => undefined).on('close', () => left());
    onConnection(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, gone };
}

async function connectTo(port: number): Promise<SmtpConnection> {
  const outcome = await createTcpConnector(port).connect('127.0.0.1', inTime());
  if (outcome.kind === 'failure') {
    throw new Error(outcome.failure);
  }
  return outcome.connection;
}

/** Sends one command and waits for its outcome. */
async function exchange(
  connection: SmtpConnection,
  command: string,
  deadline: Deadline,
): Promise<SmtpOutcome> {
  return connection.send([command]) ?? connection.listen(deadline);
}

function reply(code: number, ...lines: readonly string[]) {
  return { kind: 'reply', reply: { code, lines } };
}

const failed = (failure: string) => ({ kind: 'failure', failure });

describe('a connection', () => {
  test('waits for the whole banner, however slowly it comes', async () => {
    const { port } = await serve(socket => {
      socket.write('220-mx');
      setImmediate(() => setImmediate(() => socket.write(' one\r\n220-two\r\n')));
      setImmediate(() => setImmediate(() => setImmediate(() => socket.write('220 three\r\n'))));
    });
    const connection = await connectTo(port);
    expect(await connection.listen(inTime())).toEqual(reply(220, 'mx one', 'two', 'three'));
    connection.close();
  });

  test('exchanges one command for one reply and knows its own end', async () => {
    const { port } = await serve(socket => {
      socket.write('220 mx\r\n');
      socket.on('data', octets => socket.write(`250 heard ${octets.toString().trim()}\r\n`));
    });
    const connection = await connectTo(port);
    await connection.listen(inTime());
    expect(connection.localLiteral).toBe('[127.0.0.1]');
    expect(await exchange(connection, 'EHLO a', inTime())).toEqual(reply(250, 'heard EHLO a'));
    expect(await exchange(connection, 'QUIT', inTime())).toEqual(reply(250, 'heard QUIT'));
    connection.close();
  });

  test('does not take an unsolicited reply as the answer to the next command', async () => {
    const heard: string[] = [];
    const { port } = await serve(socket => {
      socket.write('220 mx\r\n250 I will like whatever you say\r\n');
      socket.on('data', octets => heard.push(octets.toString()));
    });
    const connection = await connectTo(port);
    await connection.listen(inTime());
    expect(await exchange(connection, 'EHLO a', inTime())).toEqual(failed('garbled'));
    expect(heard).toEqual([]);
    connection.close();
  });

  test('reads a 421 that comes unasked', async () => {
    const { port } = await serve(socket => socket.end('220 mx\r\n421 going down\r\n'));
    const connection = await connectTo(port);
    await connection.listen(inTime());
    expect(await exchange(connection, 'EHLO a', inTime())).toEqual(reply(421, 'going down'));
    connection.close();
  });

  test('ends at the deadline of a silent host', async () => {
    const { port } = await serve(() => undefined);
    const connection = await connectTo(port);
    expect(await connection.listen(inTime(20))).toEqual(failed('timeout'));
    connection.close();
  });

  test('ends when no caller waits for the answer', async () => {
    const { port } = await serve(() => undefined);
    const connection = await connectTo(port);
    const gone = new AbortController();
    const outcome = connection.listen(inTime(60_000, gone.signal));
    gone.abort();
    expect(await outcome).toEqual(failed('timeout'));
    connection.close();
  });

  test('notices that the host hung up', async () => {
    const { port } = await serve(socket => socket.end());
    const connection = await connectTo(port);
    expect(await connection.listen(inTime())).toEqual(failed('closed'));
    connection.close();
  });

  test('leaves a host that floods it', async () => {
    const { port, gone } = await serve(socket => {
      const flood = () => {
        while (!socket.destroyed && socket.write('220-and another line\r\n'.repeat(100)));
      };
      socket.on('drain', flood);
      flood();
    });
    const connection = await connectTo(port);
    expect(await connection.listen(inTime())).toEqual(failed('garbled'));
    await gone;
  });

  test('leaves nothing behind once closed', async () => {
    const { port, gone } = await serve(socket => socket.write('220 mx\r\n'));
    const connection = await connectTo(port);
    await connection.listen(inTime());
    connection.close();
    await gone;
  });

  test.each<SecureVersion>(['TLSv1', 'TLSv1.2', 'TLSv1.3'])(
    'goes over to %s with any certificate',
    async version => {
      const { port } = await serve(speakOnly(version));
      const connection = await connectTo(port);
      await connection.listen(inTime());
      await exchange(connection, 'STARTTLS', inTime());
      expect(await connection.startTls('mx.a.example', inTime())).toBeUndefined();
      expect(await exchange(connection, 'EHLO a', inTime())).toEqual(reply(250, 'heard in TLS'));
      connection.close();
    },
  );

  test('acknowledges the session ticket of a host that holds its reply back until then', async () => {
    // Sockets of `createServer` have Nagle's algorithm enabled, like those of Postfix. The ticket is sent first.
    const { port } = await serve(
      speakOnly('TLSv1.3', answer => void setImmediate(() => setImmediate(answer))),
    );
    const elapsedMs: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const connection = await connectTo(port);
      await connection.listen(inTime());
      await exchange(connection, 'STARTTLS', inTime());
      const sinceMs = performance.now();
      await connection.startTls('mx.a.example', inTime());
      expect(await exchange(connection, 'EHLO a', inTime())).toEqual(reply(250, 'heard in TLS'));
      elapsedMs.push(performance.now() - sinceMs);
      connection.close();
    }
    expect(Math.min(...elapsedMs)).toBeLessThan(delayedAcknowledgmentMs);
  });

  test('does not wait for a TLS handshake beyond the deadline', async () => {
    const { port } = await serve(socket => {
      socket.write('220 mx\r\n');
      socket.once('data', () => socket.write('220 go\r\n'));
    });
    const connection = await connectTo(port);
    await connection.listen(inTime());
    await exchange(connection, 'STARTTLS', inTime());
    expect(await connection.startTls('mx.a.example', inTime(20))).toBe('tls_failed');
    connection.close();
  });

  test('reports a failed TLS handshake', async () => {
    const { port } = await serve(socket => {
      socket.write('220 mx\r\n');
      socket.once('data', () =>
        socket.write('220 go\r\n250 injected\r\n', () => socket.once('data', () => socket.end('no TLS'))),
      );
    });
    const connection = await connectTo(port);
    await connection.listen(inTime());
    await exchange(connection, 'STARTTLS', inTime());
    expect(await connection.startTls('mx.a.example', inTime())).toBe('tls_failed');
    connection.close();
  });
});

describe('connecting', () => {
  test('fails if no process listens on the port', async () => {
    const { port } = await serve(() => undefined);
    servers.splice(0).forEach(server => void server.close());
    expect(await createTcpConnector(port).connect('127.0.0.1', inTime())).toEqual(failed('unreachable'));
  });

  test('does not start after the deadline', async () => {
    expect(await createTcpConnector(9).connect('127.0.0.1', inTime(0))).toEqual(failed('unreachable'));
  });
});
