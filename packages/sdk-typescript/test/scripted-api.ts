import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Step = (response: ServerResponse, seen: Seen) => void;

/** An HTTP server on loopback that answers each request with the next step, and the last one again. */
export async function scriptedApi(...steps: readonly Step[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const step = steps[Math.min(seen.length, steps.length - 1)];
    const each = { method, path, headers, body: await text(request) };
    seen.push(each);
    step?.(response, each);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Step {
  return response =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const brokenConnection: Step = response => response.destroy();

/** Sends a part of the body that it announces, then breaks the connection. */
export const brokenBody: Step = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"credits":', () => response.destroy());
};
