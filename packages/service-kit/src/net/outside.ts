import type { LookupFunction } from 'node:net';
import { type Duplex, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { createGathering } from '@mailproof/shared-types';
import { Agent, buildConnector, errors, request } from 'undici';
import { untraced } from '../telemetry/quiet.ts';
import type { AddressGuard } from './address-guard.ts';
import { AddressRefused, assertHostAllowed, guardedLookup } from './address-guard.ts';
import { BodyTooLarge, readBounded } from './read-bounded.ts';

export interface OutsideOptions {
  readonly guard: AddressGuard;
  /** Ports that may be contacted; any if omitted. */
  readonly ports?: readonly number[];
  /** Whether plain HTTP is allowed as well as HTTPS. */
  readonly allowsHttp: boolean;
  /** Maximum number of connections to one origin. */
  readonly connectionsMax?: number;
  /** Whether to keep connections for later requests, one request at a time. */
  readonly keepsConnections?: boolean;
  /** Resolves names; the system's resolver if omitted. */
  readonly lookup?: LookupFunction | undefined;
  /** A certification authority in addition to Node's, as PEM. */
  readonly extraCa?: string | undefined;
  /** Maps a URL's port to the port to connect to, for labs, where processes may not listen on 443. */
  readonly connectPort?: ((port: number) => number) | undefined;
}

export interface OutsideRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Time for the whole answer, from the DNS lookup to the last octet, in milliseconds. */
  readonly deadlineMs: number;
  /** Largest body, in octets, both as sent and after decompression. */
  readonly bytesMax: number;
  /**
   * Whether only the status matters. The answer then has only the beginning of the body, as sent, and later errors are
   * ignored.
   */
  readonly beginningOnly?: boolean;
  /** Time for that beginning, once the status is known, in milliseconds; two seconds if omitted. */
  readonly beginningMsMax?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OutsideAnswer {
  readonly status: number;
  /** By name in lower case; values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type OutsideFaultKind =
  /** The scheme, port or address is not allowed; no connection was made. */
  | 'not_allowed'
  | 'unreachable'
  | 'too_late'
  | 'too_large'
  /** An unsupported or invalid content encoding. */
  | 'not_readable';

/** A failed request to the outside, with the kind of failure. Its message names no address. */
export class OutsideFault extends Error {
  override readonly name = 'OutsideFault';
  readonly kind: OutsideFaultKind;

  constructor(kind: OutsideFaultKind, options?: ErrorOptions) {
    super(`The outgoing request failed: ${kind}.`, options);
    this.kind = kind;
  }
}

/** A client for hosts that strangers name. */
export interface Outside {
  /**
   * Sends one request; a redirect is an answer like any other. To follow one, send another request, so that it is
   * checked again.
   *
   * @throws OutsideFault, or the signal's reason
   */
  request(request: OutsideRequest): Promise<OutsideAnswer>;
  close(): Promise<void>;
}

const headerBytesMax = 16_384;
const beginningMsMaxDefault = 2_000;
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Creates the only client for addresses that strangers name. It contacts only public addresses (`AddressGuard`) and
 * connects to the address that it checked. It verifies TLS, follows no redirects, uses no proxy, and bounds headers,
 * body and time. Requests are not traced: their URLs can name a person, and their headers contain a customer's secrets.
 */
export function createOutside(options: OutsideOptions): Outside {
  const agent = openAgent(options);
  return {
    async request(asked) {
      assertAllowed(asked.url, options);
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new OutsideFault('too_late')), asked.deadlineMs);
      const signal = asked.signal ? AbortSignal.any([deadline.signal, asked.signal]) : deadline.signal;
      try {
        return await untraced(() => exchange(agent, asked, signal));
      } catch (error) {
        signal.throwIfAborted();
        throw faultOf(error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

function openAgent({
  guard,
  lookup,
  extraCa,
  connectPort,
  connectionsMax = 4,
  ...options
}: OutsideOptions): Agent {
  const connect = buildConnector({
    lookup: guardedLookup(guard, lookup),
    // Every request has its own deadline, which also covers connecting.
    timeout: 10_000,
    ...(extraCa !== undefined && { ca: extraCa }),
  });
  return new Agent({
    connect: connectPort
      ? (target, callback) =>
          connect({ ...target, port: String(connectPort(portOf(target.protocol, target.port))) }, callback)
      : connect,
    connections: connectionsMax,
    // 1 keeps the connection and sends one request at a time; 0 closes it after each request.
    pipelining: options.keepsConnections ? 1 : 0,
    maxHeaderSize: headerBytesMax,
  });
}

function assertAllowed(url: URL, { guard, ports, allowsHttp }: OutsideOptions): void {
  const isScheme = url.protocol === 'https:' || (allowsHttp && url.protocol === 'http:');
  const isPort = ports === undefined || ports.includes(portOf(url.protocol, url.port));
  if (!isScheme || !isPort || url.username !== '' || url.password !== '') {
    throw new OutsideFault('not_allowed');
  }
  try {
    assertHostAllowed(url, guard);
  } catch (cause) {
    throw new OutsideFault('not_allowed', { cause });
  }
}

function portOf(protocol: string, port: string): number {
  return port === '' ? (defaultPorts[protocol] ?? 0) : Number(port);
}

async function exchange(agent: Agent, asked: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer> {
  if (asked.beginningOnly) {
    return exchangeBeginning(agent, asked, signal);
  }
  const { statusCode, headers, body } = await request(asked.url, {
    ...requestOf(asked, 'gzip, br'),
    dispatcher: agent,
    signal,
  });
  // The reader of the body gets any error; an error after the last read is ignored.
  body.on('error', () => undefined);
  try {
    const joined = joinedHeaders(headers);
    return {
      status: statusCode,
      headers: joined,
      body: await readBounded(decoded(body, joined['content-encoding'], asked.bytesMax), asked.bytesMax),
    };
  } finally {
    // Drops a body that was not read to its end; its connection would otherwise stay open.
    body.destroy();
  }
}

/** Reads the status and the first octets of a body, or those that arrive in time, at half the cost of a stream. */
function exchangeBeginning(
  agent: Agent,
  { bytesMax, beginningMsMax = beginningMsMaxDefault, ...asked }: OutsideRequest,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const { origin, pathname, search } = asked.url;
  const gathered = createGathering<Uint8Array>(Buffer.concat);
  return new Promise((resolve, reject) => {
    let answer: Omit<OutsideAnswer, 'body'> | undefined;
    let timer: NodeJS.Timeout | undefined;
    let abort: () => void = () => undefined;
    const stop = () => abort();
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (answer) resolve({ ...answer, body: gathered.take().subarray(0, bytesMax) });
      else reject(error);
    };
    signal.addEventListener('abort', stop);
    agent.dispatch(
      { ...requestOf(asked, 'identity'), origin, path: `${pathname}${search}` },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(signal.reason ?? new Error('The rest of the answer is not needed.'));
          if (signal.aborted) abort();
        },
        onResponseStart(_controller, statusCode, headers) {
          // Informational answers come before the answer.
          if (statusCode < 200) return;
          answer = { status: statusCode, headers: joinedHeaders(headers) };
          timer = setTimeout(stop, beginningMsMax);
        },
        onResponseData(_controller, chunk) {
          gathered.add(chunk);
          if (gathered.length > bytesMax) abort();
        },
        onResponseEnd: () => settle(),
        // An error after the status does not matter: the body ended too early or too late.
        onResponseError: (_controller, error) => settle(error),
      },
    );
  });
}

function requestOf(
  { method = 'GET', headers, body }: Pick<OutsideRequest, 'method' | 'headers' | 'body'>,
  encodings: string,
) {
  return {
    method,
    headers: { 'accept-encoding': encodings, ...headers },
    ...(body !== undefined && { body }),
  };
}

function joinedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}

/** Decompresses in chunks, so that a small body that expands into a huge one is noticed in time. */
function decoded(body: Readable, encoding = 'identity', bytesMax: number): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(encoding.trim().toLowerCase());
  if (decoder === undefined) {
    return body;
  }
  const stages = [body, boundedStream(bytesMax), decoder];
  for (const [index, stage] of stages.entries()) {
    const next = stages[index + 1];
    stage.on('error', error => decoder.destroy(error));
    if (next) {
      stage.pipe(next as Duplex);
    }
  }
  return decoder;
}

function decoderOf(encoding: string): Duplex | undefined {
  switch (encoding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new OutsideFault('not_readable');
  }
}

/** Also limits the octets that arrive, because an endless body can decompress to almost nothing. */
function boundedStream(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, callback) {
      bytes += chunk.length;
      callback(
        bytes > bytesMax ? new BodyTooLarge(`The body is larger than ${bytesMax} octets.`) : null,
        chunk,
      );
    },
  });
}

function faultOf(error: unknown): OutsideFault {
  if (error instanceof OutsideFault) {
    return error;
  }
  if (error instanceof AddressRefused) {
    return new OutsideFault('not_allowed', { cause: error });
  }
  if (error instanceof BodyTooLarge || error instanceof errors.HeadersOverflowError) {
    return new OutsideFault('too_large', { cause: error });
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return new OutsideFault(
    /^(?:Z_|ERR__?ZLIB|ERR_BROTLI|ERR__ERROR)/.test(code ?? '') ? 'not_readable' : 'unreachable',
    {
      cause: error,
    },
  );
}
