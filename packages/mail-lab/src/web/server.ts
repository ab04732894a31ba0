import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { closeListener, listen } from '../addresses.ts';
import type { WebScript } from '../script.ts';
import type { Identity } from './certificates.ts';
import { answerRequest, type WebAnswer } from './directory.ts';

export type WebServer = {
  /** Requests by URL without query. */
  counts(): Record<string, number>;
  resetCounts(): void;
  close(): Promise<void>;
};

export type WebServerOptions = {
  readonly name: string;
  readonly script: WebScript;
  readonly identity: Identity;
  readonly address: string;
  readonly port: number;
  readonly roundTripMs: () => number;
  readonly onUnscripted: (what: string) => void;
};

/**
 * Serves one HTTPS site of the catalog.
 *
 * @throws the bind error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`)
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { name, script, identity, roundTripMs, onUnscripted } = options;
  const timers = new Set<NodeJS.Timeout>();
  const connections = new Set<Duplex>();
  let counts = new Map<string, number>();

  const server = createServer(
    { cert: identity.certificatePem, key: identity.keyPem },
    (request, response) => {
      request.resume();
      const url = URL.parse(request.url ?? '/', `https://${name}`);
      const key = `https://${name}${url?.pathname ?? request.url}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const answer = url === null ? badRequest : answerFor(request.method, url);
      if (!answer.scripted) onUnscripted(`${request.method} ${key}`);
      if (script.silent === true) return;
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          response.writeHead(answer.status, {
            'content-type': answer.type ?? 'text/plain',
            ...answer.headers,
          });
          if (request.method === 'HEAD') response.end();
          else if (answer.endlessEveryMs === undefined) response.end(answer.body);
          else sendEndlessly(response, answer.body ?? '', answer.endlessEveryMs);
        },
        roundTripMs() + (answer.delayMs ?? 0),
      );
      timers.add(timer);
    },
  );
  // A client that does not trust the certificate may abort the handshake.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('connection', connection => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
  });
  await listen(server, options.address, options.port);

  function answerFor(method: string | undefined, url: URL): WebAnswer {
    const reads = method === 'GET' || method === 'HEAD';
    return reads ? answerRequest(name, script, url) : { status: 405, scripted: false };
  }

  return {
    counts: () => Object.fromEntries(counts),
    resetCounts: () => {
      counts = new Map();
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      // Connections still in their TLS handshake are unknown to the HTTP layer, so they are ended here.
      for (const connection of connections) connection.destroy();
      await closeListener(server);
    },
  };
}

const badRequest: WebAnswer = { status: 400, scripted: false };

/** Writes the body again and again, at the pace of the client, until the connection closes. */
function sendEndlessly(response: ServerResponse, body: Uint8Array | string, everyMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  const send = (): void => {
    if (response.destroyed) return;
    if (response.write(body)) timer = setTimeout(send, everyMs);
    else response.once('drain', send);
  };
  response.on('close', () => clearTimeout(timer));
  send();
}
