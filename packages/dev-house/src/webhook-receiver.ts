import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a webhook receiver got. */
export interface ReceivedRequest {
  /** The request's number, counted from 1. */
  readonly number: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How a receiver reacts to a request. */
type Reaction =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** In this order: never answers; closes silently; sends an endless body slowly; sends it as fast as possible. */
  | 'hang'
  | 'close'
  | 'drip'
  | 'flood';

/** A programmable webhook receiver, on loopback unless `host` is given, which records its requests. */
export interface WebhookReceiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Sets its reaction from now on. */
  react(reaction: (request: ReceivedRequest) => Reaction): void;
  /** Returns the requests that were answered with 2xx, by `webhook-id`. */
  taken(): ReadonlyMap<string, readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

const bodyBytesMax = 1_000_000;

export async function openWebhookReceiver({ host = '127.0.0.1', port = 0 } = {}): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const taken = new Map<string, ReceivedRequest[]>();
  let reaction: (request: ReceivedRequest) => Reaction = () => ({ status: 200 });
  const server = createServer((incoming, response) => {
    void readBody(incoming).then(body => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { number: requests.length + 1, atMs: Date.now(), method, path, headers, body };
      requests.push(request);
      const reacts = reaction(request);
      if (typeof reacts === 'object' && reacts.status >= 200 && reacts.status < 300) {
        const id = String(headers['webhook-id']);
        taken.set(id, [...(taken.get(id) ?? []), request]);
      }
      applyReaction(reacts, incoming, response);
    }, incoming.destroy.bind(incoming));
  }).listen(port, host);
  await once(server, 'listening');
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${boundPort}`,
    requests,
    react(wanted) {
      reaction = wanted;
    },
    taken: () => taken,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) {
      throw new Error('The request is larger than a receiver takes.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function applyReaction(reaction: Reaction, incoming: IncomingMessage, response: ServerResponse): void {
  if (typeof reaction === 'object') {
    response.writeHead(reaction.status, reaction.headers).end(reaction.body);
    return;
  }
  switch (reaction) {
    case 'hang':
      return;
    case 'close':
      incoming.socket.destroy();
      return;
    case 'drip': {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
      return;
    }
    case 'flood': {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    }
  }
}

/** Admits this many requests per second and answers the others with 429. `form` is the format of `Retry-After`. */
export function limitedTo(
  perSecond: number,
  form: 'seconds' | 'date' | 'nothing',
  otherwise: (request: ReceivedRequest) => Reaction = () => ({ status: 200 }),
): (request: ReceivedRequest) => Reaction {
  let admitted: number[] = [];
  return request => {
    admitted = admitted.filter(atMs => atMs > request.atMs - 1_000);
    if (admitted.length < perSecond) {
      admitted.push(request.atMs);
      return otherwise(request);
    }
    const retryAfter = {
      seconds: { 'retry-after': '1' },
      date: { 'retry-after': new Date(request.atMs + 1_000).toUTCString() },
      nothing: {},
    }[form];
    return { status: 429, headers: retryAfter };
  };
}

/** Fails a share of the requests, always the same ones for the same seed. */
export function failing(share: number, seed: number): (request: ReceivedRequest) => Reaction {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { status: state / 2 ** 32 < share ? 500 : 200 };
  };
}
