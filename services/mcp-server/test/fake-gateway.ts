import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the fake gateway has received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Responds to one request in the way that a test needs. */
export type Behavior = (response: ServerResponse, received: Received) => void;

/**
 * A fake gateway for tests that need misbehavior which a real gateway cannot produce on command. It sends the responses
 * that a test has set, and records all other requests as unexpected.
 */
export interface StandInGateway {
  readonly url: string;
  readonly received: Received[];
  readonly unexpected: string[];
  /** Handles requests to a path in this way from now on. */
  on(path: string, behavior: Behavior): void;
  /** Forgets the set behaviors and the received requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function startStandInGateway(): Promise<StandInGateway> {
  const behaviors = new Map<string, Behavior>();
  const received: Received[] = [];
  const unexpected: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const got = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      // If the client disconnects in the middle, the body stays empty.
      body: await text(request).catch(() => ''),
    };
    received.push(got);
    const behavior = [...behaviors].find(([path]) => got.path.endsWith(path))?.[1];
    if (behavior) {
      behavior(response, got);
    } else {
      unexpected.push(`${got.method} ${got.path}`);
      response.destroy();
    }
  });
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    unexpected,
    on: (path, behavior) => void behaviors.set(path, behavior),
    reset() {
      behaviors.clear();
      received.length = 0;
      unexpected.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Responds with JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Behavior {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
