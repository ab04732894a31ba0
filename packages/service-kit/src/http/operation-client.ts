import { Readable } from 'node:stream';
import {
  type Operation,
  type OperationRequest,
  type OperationResult,
  problemDocument,
  type ServiceName,
} from '@mailproof/shared-types';
import { Pool } from 'undici';
import { z } from 'zod';
import { Problem, unavailable } from '../problem.ts';
import type { TokenSigner } from '../service-tokens.ts';
import { exchangeJson, exchangeText, type JsonAnswer, type TextAnswer } from './exchange-json.ts';
import { openAnswerStream } from './open-answer-stream.ts';

export interface OperationClientOptions {
  readonly baseUrl: string;
  /** The service that answers there; tokens are made for it alone. */
  readonly audience: ServiceName;
  readonly sign: TokenSigner;
}

export interface CallOptions {
  /** Time for the answer, all attempts together, in milliseconds; of an answer that is a stream, for its beginning. */
  readonly deadlineMs: number;
  /** Breaks the call off, and a stream that it has answered. */
  readonly signal?: AbortSignal;
  /** Headers that are passed on, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told the headers of an answer that is a stream, by their names in lower case, before its first piece. */
  readonly onAnswerHeaders?: (headers: Readonly<Record<string, string | string[] | undefined>>) => void;
}

export interface ExchangeOptions extends Pick<CallOptions, 'headers'> {
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

/** Calls a peer's operations by their contracts. */
export interface OperationClient {
  /**
   * Answers the parsed result. Throws the peer's own problem where its contract names it, and `service_unavailable`
   * for everything else that can go wrong between two services.
   */
  call<Op extends Operation>(
    operation: Op,
    request: OperationRequest<Op>,
    options: CallOptions,
  ): Promise<OperationResult<Op>>;
  /**
   * Sends the request once and returns the peer's answer, whatever its status. For an operation without a stream.
   *
   * @param bytesMax largest answer, in octets
   * @throws the signal's reason, and whatever undici throws; `ResponseExceededMaxSizeError` for a larger answer
   */
  exchange<Op extends Operation>(
    operation: Op,
    request: OperationRequest<Op>,
    options: ExchangeOptions,
  ): Promise<TextAnswer>;
  /** Throws unless the peer says at `/readyz` that it can serve. */
  checkReady(): Promise<void>;
  close(): Promise<void>;
}

/** Waits ahead of the second and third attempt of a repeatable operation, in milliseconds. */
const retryDelaysMs = [100, 500] as const;

/** Time for a peer's word that it is ready, in milliseconds: less than a health check may take. */
const readyDeadlineMs = 1_500;

/** Streams that one process reads of a peer at once. */
const streamsMax = 2_048;
/** A stream in which nothing comes for so long is given up, in milliseconds; followed events send something far sooner. */
const silentMsMax = 60_000;

export function createOperationClient(options: OperationClientOptions): OperationClient {
  const pool = new Pool(options.baseUrl, {
    connections: 64,
    keepAliveTimeout: 30_000,
    connect: { timeout: 3_000 },
  });
  // Apart from the others: a stream keeps its connection for minutes.
  const streams = new Pool(options.baseUrl, {
    connections: streamsMax,
    connect: { timeout: 3_000 },
    bodyTimeout: silentMsMax,
  });

  async function requestOf<Op extends Operation>(
    operation: Op,
    input: OperationRequest<Op>,
    passedOn: CallOptions['headers'],
  ) {
    const authorization = `Bearer ${await options.sign(options.audience)}`;
    const body = bodyOf(operation, input.body);
    return {
      method: operation.method.toUpperCase(),
      // As it is: a URL would take a parameter of one or two dots for a step to another operation.
      path: targetOf(operation, input),
      headers: {
        ...passedOn,
        authorization,
        ...(body !== null && { 'content-type': operation.bodyMediaType ?? 'application/json' }),
      },
      body,
    };
  }

  async function attempt<Op extends Operation>(
    operation: Op,
    input: OperationRequest<Op>,
    { headers, onAnswerHeaders }: CallOptions,
    signal: AbortSignal,
  ) {
    const request = await requestOf(operation, input, headers);
    const answer =
      operation.success.mediaType !== undefined
        ? await openAnswerStream(streams, request, operation.success.status, signal, onAnswerHeaders)
        : operation.bodyMediaType !== undefined
          ? // The answer is waited for while the body goes out, for as long as the caller's deadline says.
            await exchangeJson(streams, { ...request, headersTimeout: 0 }, signal)
          : await exchangeJson(pool, request, signal);
    if (answer.status === operation.success.status) {
      return z.parse(operation.success.schema, answer.body) as OperationResult<Op>;
    }
    throw peerProblem(operation, options.audience, answer);
  }

  return {
    async call(operation, input, callOptions) {
      const { deadlineMs, signal } = callOptions;
      const broken = new AbortController();
      const breakOff = () => broken.abort(signal?.reason);
      // Not `AbortSignal.timeout`: its timer would outlive a quick call by the whole deadline, thousands at a time.
      const timer = setTimeout(() => broken.abort(new Error('deadline exceeded')), deadlineMs);
      // Nor `AbortSignal.any`, whose weak references V8 keeps until it looks through the whole heap (ADR 0050).
      if (signal?.aborted) breakOff();
      else signal?.addEventListener('abort', breakOff, { once: true });
      try {
        return await attemptUntil(operation, input, callOptions, broken.signal);
      } finally {
        clearTimeout(timer);
        // A stream can be broken off until its end.
        if (operation.success.mediaType === undefined) signal?.removeEventListener('abort', breakOff);
      }
    },
    exchange: async (operation, input, { headers, signal, bytesMax }) =>
      exchangeText(pool, await requestOf(operation, input, headers), signal, bytesMax),
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

  async function attemptUntil<Op extends Operation>(
    operation: Op,
    input: OperationRequest<Op>,
    callOptions: CallOptions,
    broken: AbortSignal,
  ): Promise<OperationResult<Op>> {
    // A stream has been taken from by the time that an attempt has failed.
    const canRepeat = operation.repeatable && operation.bodyMediaType === undefined;
    const delaysMs = canRepeat ? retryDelaysMs : [];
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await attempt(operation, input, callOptions, broken);
      } catch (error) {
        const delayMs = delaysMs[attempts];
        const final = error instanceof Problem && error.code !== 'service_unavailable';
        if (final || delayMs === undefined || broken.aborted) {
          throw error instanceof Problem ? error : unavailable(`${options.audience} does not answer.`, error);
        }
        await wait(delayMs, broken);
      }
    }
  }
}

/** A stream goes out octet by octet, no faster than the peer takes it; anything else as JSON. */
function bodyOf({ bodyMediaType }: Operation, body: unknown): string | Readable | null {
  if (body === undefined) {
    return null;
  }
  return bodyMediaType === undefined
    ? JSON.stringify(body)
    : Readable.from(body as AsyncIterable<Uint8Array>, { objectMode: false });
}

/** Passes on the problems that the contract names; anything else from a peer is our own fault, not the customer's. */
function peerProblem(operation: Operation, peer: ServiceName, answer: JsonAnswer): Problem {
  const { status, body, retryAfter } = answer;
  const parsed = problemDocument.safeParse(body);
  const named = parsed.success && operation.problems.includes(parsed.data.code);
  if (parsed.success && named) {
    const { code, detail, errors, required, available } = parsed.data;
    return new Problem(code, {
      ...(detail !== undefined && { detail }),
      extra: {
        ...(errors && { errors }),
        ...(required !== undefined && { required }),
        ...(available !== undefined && { available }),
      },
      ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
    });
  }
  const cause = new Error(`${peer} answered ${status} to ${operation.id}`, { cause: body });
  return status === 503
    ? unavailable(`${peer} is not available.`, cause)
    : new Problem('internal_error', { cause });
}

/** Path and query string of a request. */
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
