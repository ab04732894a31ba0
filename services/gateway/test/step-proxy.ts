import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A point in a call between two services: the request or its answer in transit. */
export interface StepPoint {
  readonly path: RegExp;
  readonly phase: 'request' | 'answer';
}

/** A call that was stopped at a point. */
export interface StoppedCall {
  /** Lets the call continue as if it had never been stopped. */
  release(): void;
  /** Drops the call; its caller sees the connection end. */
  lose(): void;
}

/** A proxy between a service and its peer that forwards calls and stops a chosen one. */
export interface StepProxy {
  readonly url: string;
  passTo(url: string): void;
  /** The number of requests so far. */
  requests(): number;
  /** Resolves when the next call reaches the point; it waits there. */
  stopNext(point: StepPoint): Promise<StoppedCall>;
  close(): Promise<void>;
}

type Waiting = { readonly point: StepPoint; readonly stopped: (call: StoppedCall) => void };

export async function startStepProxy(): Promise<StepProxy> {
  let target = '';
  let requests = 0;
  let waiting: Waiting | undefined;

  /** Resolves to true if the call may continue. */
  async function pass(path: string, phase: StepPoint['phase']): Promise<boolean> {
    if (waiting?.point.phase !== phase || !waiting.point.path.test(path)) {
      return true;
    }
    const { stopped } = waiting;
    waiting = undefined;
    return new Promise(resolve => stopped({ release: () => resolve(true), lose: () => resolve(false) }));
  }

  async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    requests += 1;
    const body = await bodyOf(incoming);
    if (!(await pass(path, 'request'))) {
      return void answer.destroy();
    }
    const headers = { ...incoming.headers, host: new URL(target).host };
    const outgoing = request(new URL(path, target), { method: incoming.method, headers, agent: false });
    outgoing.end(body);
    const [got] = (await once(outgoing, 'response')) as [IncomingMessage];
    const answerBody = await bodyOf(got);
    if (!(await pass(path, 'answer'))) {
      return void answer.destroy();
    }
    answer.writeHead(got.statusCode ?? 500, got.headers).end(answerBody);
  }

  const server = createServer((incoming, answer) => {
    // Either side may be killed at any time, and the other must see its connection end.
    serve(incoming, answer).catch(() => answer.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passTo(url) {
      target = url;
    },
    requests: () => requests,
    stopNext(point) {
      if (waiting) {
        throw new Error('the proxy waits for another call already');
      }
      return new Promise(stopped => {
        waiting = { point, stopped };
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
