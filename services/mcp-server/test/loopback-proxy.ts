import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** The destination of a request, and the headers that are added to it. */
export interface Onward {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the proxy's own host in `Host` and `Origin` is replaced with the target's; other hosts are not changed. */
  readonly asIfDirect?: boolean;
  /** Called with the response before the client gets it; the client gets none if this returns `lose`. */
  readonly onAnswer?: (answer: http.IncomingMessage) => Promise<'pass' | 'lose'>;
}

/** Forwards requests within this machine, as a load balancer or so that a test can add a header. */
export async function startLoopbackProxy(
  route: (request: http.IncomingMessage) => Onward | Promise<Onward>,
): Promise<LoopbackProxy> {
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer(async (request, response) => {
    const onward = await route(request);
    const target = new URL(onward.url);
    const upstream = http.request(
      {
        agent,
        host: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: { ...headersFor(request, onward, target), ...onward.headers },
      },
      async answer => {
        if ((await onward.onAnswer?.(answer)) === 'lose') {
          response.destroy();
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    // The server was killed in the middle of a response: the client's connection is also broken.
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function headersFor(
  { headers }: http.IncomingMessage,
  { asIfDirect }: Onward,
  target: URL,
): http.OutgoingHttpHeaders {
  if (!asIfDirect) return headers;
  const own = headers.host;
  const isOwn = own !== undefined && /^127\.0\.0\.1:\d+$/.test(own);
  return {
    ...headers,
    ...(isOwn && { host: target.host }),
    ...(headers.origin === `http://${own}` && isOwn && { origin: target.origin }),
  };
}

/** A port on which nothing listens at the moment. */
export async function freePort(): Promise<number> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
