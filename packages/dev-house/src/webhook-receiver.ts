import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver of webhooks has got. */
export interface ReceivedRequest {
  /** Its number, from 1. */
  readonly number: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a receiver does with a request. */
export type Reaction =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Never answers; closes without a word; sends a body that does not end, slowly or as fast as it can. */
  | 'hang'
  | 'close'
  | 'drip'
  | 'flood';

/** A receiver of webhooks on loopback, which does what it is told and writes down what it got. */
export interface WebhookReceiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** What it does from now on. */
  react(reaction: (request: ReceivedRequest) => Reaction): void;
  /** Requests that were answered with 2xx, by `webhook-id`. */
  taken(): ReadonlyMap<string, readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

const bodyBytesMax = 1_000_000;

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
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
      carryOut(reacts, incoming, response);
    }, incoming.destroy.bind(incoming));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
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

function carryOut(reaction: Reaction, incoming: IncomingMessage, response: ServerResponse): void {
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

/** Lets so many requests in a second in, and answers the others with 429. `form` is how it says when to come again. */
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

/** Fails a share of the requests, the same ones for the same seed. */
export function failing(share: number, seed: number): (request: ReceivedRequest) => Reaction {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { status: state / 2 ** 32 < share ? 500 : 200 };
  };
}
