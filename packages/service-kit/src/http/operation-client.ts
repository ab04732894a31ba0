import { Readable } from 'node:stream';
import {
  bodyMediaTypesOf,
  type Operation,
  type OperationRequest,
  type OperationResult,
  problemDocument,
  type ServiceName,
} from '@mailproof/shared-types';
import { Pool } from 'undici';
import { z } from 'zod';
import { Problem, simulatedHeader, unavailable } from '../problem.ts';
import type { TokenSigner } from '../service-tokens.ts';
import { exchangeOctets, type OctetAnswer, type Octets } from './exchange-octets.ts';
import { openAnswerStream, textOf } from './open-answer-stream.ts';

export interface OperationClientOptions {
  readonly baseUrl: string;
  /** The service at that address, the only audience of the tokens. */
  readonly audience: ServiceName;
  readonly sign: TokenSigner;
}

export interface CallOptions {
  /** Time for the answer over all attempts, in milliseconds; for a streamed answer, time until it begins. */
  readonly deadlineMs: number;
  /** Aborts the call, and the stream that it returned. */
  readonly signal?: AbortSignal;
  /** Headers to pass on, by name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ExchangeOptions extends Pick<CallOptions, 'headers'> {
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

/** A request with an unparsed body. A JSON body is complete, so that it can be sent again. */
export type UnparsedRequest = Omit<OperationRequest<Operation>, 'body'> & {
  readonly body: Octets | undefined;
};

/** Calls a peer's operations by their contracts. */
export interface OperationClient {
  /**
   * Returns the parsed result. Throws the peer's own problem if the contract names it, and `service_unavailable` for
   * every other failure between two services.
   */
  call<Op extends Operation>(
    operation: Op,
    request: OperationRequest<Op>,
    options: CallOptions,
  ): Promise<OperationResult<Op>>;
  /**
   * Passes on a request and returns the answer to pass back. Neither is parsed here: the peer parses the request and
   * checks its answer against the contract (ADR 0064). Throws the same problems as `call`.
   */
  forward(operation: Operation, request: UnparsedRequest, options: CallOptions): Promise<OctetAnswer>;
  /**
   * Sends the request once and returns the peer's answer with any status. For an operation without a stream.
   *
   * @param bytesMax maximum size of the answer, in octets
   * @throws the signal's reason, or any error from undici, such as `ResponseExceededMaxSizeError` for a larger answer
   */
  exchange<Op extends Operation>(
    operation: Op,
    request: OperationRequest<Op>,
    options: ExchangeOptions,
  ): Promise<OctetAnswer<Buffer>>;
  /** Throws unless the peer's `/readyz` says that it is ready. */
  checkReady(): Promise<void>;
  close(): Promise<void>;
}

/** A client for each of the other services. */
export type Peers<Self extends ServiceName> = Readonly<Record<Exclude<ServiceName, Self>, OperationClient>>;

/** Delays before the second and third attempt of a repeatable operation, in milliseconds. */
const retryDelaysMs = [100, 500] as const;

/** Time for a peer to report that it is ready, in milliseconds: less than a health check may take. */
const readyDeadlineMs = 1_500;

/** Maximum number of streams that one process reads from a peer at once. */
const streamsMax = 2_048;
/** A stream without data for this many milliseconds is aborted; a stream of events sends data far more often. */
const silentMsMax = 60_000;

export function createOperationClient(options: OperationClientOptions): OperationClient {
  const pool = new Pool(options.baseUrl, {
    connections: 64,
    keepAliveTimeout: 30_000,
    connect: { timeout: 3_000 },
  });
  // A separate pool, because a stream keeps its connection for minutes. Each has a new one: a peer that is stopping could
  // end a kept connection while it gets a body, which cannot be sent again.
  const streams = new Pool(options.baseUrl, {
    connections: streamsMax,
    pipelining: 0,
    connect: { timeout: 3_000 },
    bodyTimeout: silentMsMax,
  });

  /** The streamed bodies of which a part was read. */
  const begun = new WeakSet<object>();

  async function requestOf(
    operation: Operation,
    input: OperationRequest<Operation>,
    passedOn: CallOptions['headers'],
  ) {
    const authorization = `Bearer ${await options.sign(options.audience)}`;
    const body = bodyOf(operation, input.body, streamed => begun.add(streamed));
    return {
      method: operation.method.toUpperCase(),
      // Not parsed as a URL, which would resolve a parameter of one or two dots to the path of another operation.
      path: targetOf(operation, input),
      headers: {
        ...passedOn,
        authorization,
        ...(body !== null && {
          'content-type': passedOn?.['content-type'] ?? bodyMediaTypesOf(operation)[0],
        }),
      },
      body,
    };
  }

  /** @throws Problem if the answer's status is not the contract's */
  async function attempt(
    operation: Operation,
    input: OperationRequest<Operation>,
    { headers }: CallOptions,
    signal: AbortSignal,
  ): Promise<OctetAnswer> {
    const request = await requestOf(operation, input, headers);
    const answer =
      operation.success.mediaType !== undefined
        ? await openAnswerStream(streams, request, operation.success.status, signal)
        : operation.bodyMediaType !== undefined
          ? // Undici waits for the answer while it sends the body, so only the caller's deadline applies.
            await exchangeOctets(streams, { ...request, headersTimeout: 0 }, signal)
          : await exchangeOctets(pool, request, signal);
    if (answer.status === operation.success.status) {
      return answer;
    }
    throw peerProblem(operation, options.audience, answer);
  }

  return {
    call: <Op extends Operation>(operation: Op, input: OperationRequest<Op>, callOptions: CallOptions) =>
      repeatInTime(operation, input, callOptions, async broken => {
        const { content } = await attempt(operation, input, callOptions, broken);
        return z.parse(operation.success.schema, parsedOf(content)) as OperationResult<Op>;
      }),
    forward: (operation, input, callOptions) =>
      repeatInTime(operation, input, callOptions, async broken => {
        const answer = await attempt(operation, input, callOptions, broken);
        if (operation.success.mediaType === undefined) assertJson(answer);
        return answer;
      }),
    exchange: async (operation, input, { headers, signal, bytesMax }) =>
      exchangeOctets(pool, await requestOf(operation, input, headers), signal, bytesMax),
    async checkReady() {
      const signal = AbortSignal.timeout(readyDeadlineMs);
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/readyz', signal });
      await body.dump();
      if (statusCode !== 200) {
        throw new Error(`${options.audience} answered ${statusCode}`);
      }
    },
    async close() {
      await Promise.all([pool.close(), streams.destroy()]);
    },
  };

  /** Repeats attempts until the caller's deadline or signal. */
  async function repeatInTime<Result>(
    operation: Operation,
    { body }: OperationRequest<Operation>,
    { deadlineMs, signal }: CallOptions,
    attempt: (broken: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const broken = new AbortController();
    const forwardAbort = () => broken.abort(signal?.reason);
    // Not `AbortSignal.timeout`: its timer would outlive a quick call until the deadline, and thousands would add up.
    const timer = setTimeout(() => broken.abort(new Error('deadline exceeded')), deadlineMs);
    // Not `AbortSignal.any` either: V8 keeps its weak references until a full garbage collection (ADR 0050).
    if (signal?.aborted) forwardAbort();
    else signal?.addEventListener('abort', forwardAbort, { once: true });
    try {
      return await attemptUntil(operation, body, broken.signal, attempt);
    } finally {
      clearTimeout(timer);
      // A stream can be aborted until it ends.
      if (operation.success.mediaType === undefined) signal?.removeEventListener('abort', forwardAbort);
    }
  }

  async function attemptUntil<Result>(
    { bodyMediaType, repeatable }: Operation,
    body: unknown,
    broken: AbortSignal,
    attempt: (broken: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // Undici reads a streamed body when it is connected. Until then nothing was sent; from then on it cannot be repeated.
    const canRepeat = () => (bodyMediaType === undefined ? repeatable : !begun.has(body as object));
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await attempt(broken);
      } catch (error) {
        const delayMs = canRepeat() ? retryDelaysMs[attempts] : undefined;
        const final = error instanceof Problem && error.code !== 'service_unavailable';
        if (final || delayMs === undefined || broken.aborted) {
          throw error instanceof Problem
            ? error
            : unavailable(`${options.audience} is not responding.`, error);
        }
        await wait(delayMs, broken);
      }
    }
  }
}

/** Streams and octets are sent unchanged, a stream no faster than the peer reads it; anything else is sent as JSON. */
function bodyOf(
  { bodyMediaType }: Operation,
  body: unknown,
  onRead: (streamed: object) => void,
): string | Buffer | Readable | null {
  if (body === undefined) {
    return null;
  }
  if (Buffer.isBuffer(body)) {
    return body;
  }
  return bodyMediaType === undefined
    ? JSON.stringify(body)
    : Readable.from(readOnDemand(body as AsyncIterable<Uint8Array>, onRead), { objectMode: false });
}

/** Leaves a body untouched until its first chunk is wanted, also if it is closed before that. */
async function* readOnDemand(
  body: AsyncIterable<Uint8Array>,
  onRead: (streamed: object) => void,
): AsyncGenerator<Uint8Array> {
  onRead(body);
  yield* body;
}

/** @throws SyntaxError if an answer that is not a stream is not JSON */
function parsedOf(content: Octets): unknown {
  return Buffer.isBuffer(content) ? JSON.parse(content.toString()) : textOf(content);
}

/** Rejects answers that are not the peer's, such as an error page from a proxy. */
function assertJson({ headers }: OctetAnswer): void {
  const mediaType = headers['content-type']?.toString();
  if (!mediaType?.startsWith('application/json')) {
    throw new Error(`The answer has the media type ${mediaType} and is not JSON.`);
  }
}

/** Passes on the problems that the contract names; any other problem from a peer is our fault, not the customer's. */
function peerProblem(operation: Operation, peer: ServiceName, answer: OctetAnswer): Problem {
  const { status, headers, content } = answer;
  const body = parsedOf(content);
  const retryAfter = headers['retry-after']?.toString();
  const parsed = problemDocument.safeParse(body);
  const isSimulated = headers[simulatedHeader] === 'true';
  const named = parsed.success && (isSimulated || operation.problems.includes(parsed.data.code));
  if (parsed.success && named) {
    const { code, detail, errors, required, available, sheets } = parsed.data;
    return new Problem(code, {
      ...(detail !== undefined && { detail }),
      isSimulated,
      extra: {
        ...(errors && { errors }),
        ...(required !== undefined && { required }),
        ...(available !== undefined && { available }),
        ...(sheets && { sheets }),
      },
      ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
    });
  }
  const cause = new Error(`${peer} answered ${status} to ${operation.id}`, { cause: body });
  return status === 503
    ? unavailable(`${peer} is not available.`, cause)
    : new Problem('internal_error', { cause });
}

/** Returns the path and query string of a request. */
function targetOf(operation: Operation, { params, query }: OperationRequest<Operation>): string {
  const values = params as Readonly<Record<string, string>>;
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const given = Object.entries((query ?? {}) as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

async function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, delayMs);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
