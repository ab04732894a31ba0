import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the stand-in has got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request in whatever way a test wants a gateway to behave. */
export type Behaviour = (response: ServerResponse, received: Received) => void;

/**
 * What is outside of this service, where a test needs it to misbehave as no gateway would on command. It answers what a
 * test has told it to, and remembers everything else as unexpected.
 */
export interface StandInGateway {
  readonly url: string;
  readonly received: Received[];
  readonly unexpected: string[];
  /** Answers a path in this way from now on. */
  on(path: string, behaviour: Behaviour): void;
  /** Forgets what it was told and what it got. */
  reset(): void;
  close(): Promise<void>;
}

export async function startStandInGateway(): Promise<StandInGateway> {
  const behaviours = new Map<string, Behaviour>();
  const received: Received[] = [];
  const unexpected: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const got = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      // A client that goes away in the middle has sent what it has sent.
      body: await text(request).catch(() => ''),
    };
    received.push(got);
    const behaviour = [...behaviours].find(([path]) => got.path.endsWith(path))?.[1];
    if (behaviour) {
      behaviour(response, got);
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
    on: (path, behaviour) => void behaviours.set(path, behaviour),
    reset() {
      behaviours.clear();
      received.length = 0;
      unexpected.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Answers with JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
