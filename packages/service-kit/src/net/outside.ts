import type { LookupFunction } from 'node:net';
import { type Duplex, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { createGathering } from '@mailproof/shared-types';
import { Agent, buildConnector, errors, request } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { AddressRefused, assertHostAllowed, guardedLookup } from './guarded-lookup.ts';
import { BodyTooLarge, readBounded } from './read-bounded.ts';
import { untraced } from './untraced.ts';

export interface OutsideOptions {
  readonly guard: AddressGuard;
  /** Ports that may be contacted; any where there is no list. */
  readonly ports?: readonly number[];
  /** Whether plain HTTP is let through beside HTTPS. */
  readonly allowsHttp: boolean;
  /** Connections to one origin. */
  readonly connectionsMax?: number;
  /** Whether a connection is used again for the next request, one after the other. */
  readonly keepsConnections?: boolean;
  /** How names are looked up; by the system unless told otherwise. */
  readonly lookup?: LookupFunction | undefined;
  /** A certification authority besides those that Node knows, as PEM. */
  readonly extraCa?: string | undefined;
  /** The port that stands in for another one, as in labs, where nobody may listen on 443. */
  readonly connectPort?: ((port: number) => number) | undefined;
}

export interface OutsideRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Time for the whole answer, from the look-up of the name to the last octet, in milliseconds. */
  readonly deadlineMs: number;
  /** Octets of the body, as they are sent and after decompression. */
  readonly bytesMax: number;
  /**
   * Whether the status is what counts: of the body only the beginning is answered, as it was sent, and whatever becomes of
   * the rest is of no interest.
   */
  readonly beginningOnly?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface OutsideAnswer {
  readonly status: number;
  /** By name in lower case; values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type OutsideFaultKind =
  /** Scheme, port or address that may not be contacted; nobody was. */
  | 'not_allowed'
  | 'unreachable'
  | 'too_late'
  | 'too_large'
  /** Compressed in a way that we do not read, or not as it says. */
  | 'not_readable';

/** Why an answer from outside could not be had. Its message names no address. */
export class OutsideFault extends Error {
  override readonly name = 'OutsideFault';
  readonly kind: OutsideFaultKind;

  constructor(kind: OutsideFaultKind, options?: ErrorOptions) {
    super(`A request to the outside failed: ${kind}.`, options);
    this.kind = kind;
  }
}

/** The way to hosts that strangers name. */
export interface Outside {
  /**
   * Sends one request; a redirect is an answer like any other. Whoever follows one asks again, so that it is checked
   * again.
   *
   * @throws OutsideFault, and the signal's reason
   */
  request(request: OutsideRequest): Promise<OutsideAnswer>;
  close(): Promise<void>;
}

const headerBytesMax = 16_384;
/** Time for the beginning of a body, once the status is known, in milliseconds. */
const beginningMsMax = 2_000;
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * The one way to addresses that strangers name. Public addresses alone (`AddressGuard`), what was checked is what is
 * connected to, TLS is verified, no redirect is followed, no proxy asked, and headers, body and time are bounded. Nothing
 * of a request is traced: its URL can name a person, and its headers hold a customer's secrets.
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
    // Every request has a deadline of its own, which ends it while it connects, too.
    timeout: 10_000,
    ...(extraCa !== undefined && { ca: extraCa }),
  });
  return new Agent({
    connect: connectPort
      ? (target, callback) =>
          connect({ ...target, port: String(connectPort(portOf(target.protocol, target.port))) }, callback)
      : connect,
    connections: connectionsMax,
    // One would be a request at a time on a connection that is kept, none closes it after each.
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
  const { statusCode, headers, body } = await request(asked.url, {
    dispatcher: agent,
    method: asked.method ?? 'GET',
    headers: { 'accept-encoding': asked.beginningOnly ? 'identity' : 'gzip, br', ...asked.headers },
    body: asked.body ?? null,
    signal,
  });
  // Told to whoever reads the body; an error that comes when nobody reads it any more is of no interest.
  body.on('error', () => undefined);
  try {
    const joined = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
    );
    return {
      status: statusCode,
      headers: joined,
      body: asked.beginningOnly
        ? await readBeginning(body, asked.bytesMax)
        : await readBounded(decoded(body, joined['content-encoding'], asked.bytesMax), asked.bytesMax),
    };
  } finally {
    // What was not read to its end is not wanted; without this its connection would be kept.
    body.destroy();
  }
}

/** The first octets of a body, or as many of them as come in time. */
async function readBeginning(body: Readable, bytesMax: number): Promise<Uint8Array> {
  const gathered = createGathering<Uint8Array>(Buffer.concat);
  const timer = setTimeout(() => body.destroy(), beginningMsMax);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      gathered.add(chunk);
      if (gathered.length > bytesMax) {
        break;
      }
    }
  } catch {
    // It ended too early or too late, and its status has been told.
  } finally {
    clearTimeout(timer);
  }
  return gathered.take().subarray(0, bytesMax);
}

/** Decompresses piece by piece, so that a small body that unfolds into a huge one is noticed while it does. */
function decoded(body: Readable, encoding = 'identity', bytesMax: number): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(encoding.trim().toLowerCase());
  if (decoder === undefined) {
    return body;
  }
  const stages = [body, boundedStream(bytesMax), decoder];
  for (const [place, stage] of stages.entries()) {
    const next = stages[place + 1];
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

/** An endless body can unfold into next to nothing, so what arrives is counted, too. */
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
