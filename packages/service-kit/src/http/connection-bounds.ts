import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createCounter } from '../signals.ts';
import { createClientConnections, heldBackSinceMs, type Waits } from './client-connections.ts';

export interface ConnectionBounds {
  /** Maximum number of open connections of the server. */
  readonly connectionsMax: number;
  /** Maximum number of open connections of one client address (of one /64 for IPv6). */
  readonly connectionsPerAddressMax: number;
  /** Whether an address is a proxy, whose connections carry the requests of many clients. */
  readonly isProxy: (address: string) => boolean;
  /** Answers bytes that are not a valid request. It is not called while the connection is sending an answer. */
  readonly onClientError: (error: NodeJS.ErrnoException, socket: Socket) => void;
  /** Time for a request to arrive, in milliseconds; the reader of the request may replace it. */
  readonly requestMsMax: number;
  /** Answers a request that did not arrive in time. */
  readonly onLateRequest: (response: ServerResponse) => void;
}

/** Ends the head of a request (RFC 9112 section 2.1). */
const headEnd = '\r\n\r\n';
const [carriageReturn, lineFeed] = [0x0d, 0x0a];
/** Minimum octets of a body to parse at once: a body may consist of nothing but ends of heads. */
const bodyStepBytesMin = 1_024;
/** Once this share of all connections is open, each new one replaces one that waits for its client. */
const crowdedShare = 0.9;
/** A network with up to this share of all connections counts as having few. */
const fewShare = 0.01;
/** Minimum time between two checks for idle connections of proxies, in milliseconds. */
const makeRoomEveryMs = 250;
/** Time without progress for an answer that the client does not read, in milliseconds. */
const unreadMsMax = 60_000;
/** How long a client can still read the last response after we close our side, in milliseconds. */
const lingerMs = 2_000;

/**
 * Bounds the state that clients can make a server keep (ADR 0053): the number of connections, and the pending requests
 * of each connection. The requests of one connection are handled one after the other, in order, as RFC 9112 section
 * 9.3.2 allows; `handle` gets the next one when the previous response is complete or has failed. Until then, further
 * requests stay unparsed, and the socket is not read once about 128 KiB of them are buffered.
 *
 * Call it on a server without listeners for requests and client errors, before the server listens.
 */
export function boundConnections(server: Server, handle: RequestListener, bounds: ConnectionBounds): void {
  const connections = new Map<Socket, Connection>();
  const countRefused = createCounter(
    'mailproof.http.refused_connections',
    'Connections closed immediately, because there were too many in total or from one address.',
    [{ reason: 'total' }, { reason: 'address' }],
  );
  const clients = createClientConnections({
    perAddressMax: bounds.connectionsPerAddressMax,
    fewMax: bounds.connectionsMax * fewShare,
    isProxy: bounds.isProxy,
  });
  const waits: Waits = {
    withoutBody: [socket => connections.get(socket)?.waitsSinceMs, heldBackSinceMs],
    forBody: socket => connections.get(socket)?.stallsSinceMs,
  };

  // One function for all responses: a closure per response would be garbage for every request (ADR 0050).
  function onResponseClosed(this: ServerResponse): void {
    connections.get(this.req.socket)?.onAnswered();
  }
  let hasListened = false;
  server.once('listening', () => {
    hasListened = true;
  });
  const start: RequestListener = (request, response) => {
    response.once('close', onResponseClosed);
    if (hasListened && !server.listening) response.shouldKeepAlive = false;
    watchRequest(request, response, bounds.requestMsMax, bounds.onLateRequest);
    handle(request, response);
  };

  // Node's own function ends a connection whose answer is complete but not sent yet, so a slow reader loses the rest.
  server.closeIdleConnections = () => {
    for (const [socket, connection] of connections) {
      if (connection.isIdle) {
        socket.destroy();
      }
    }
  };

  let madeRoomAtMs = Number.NEGATIVE_INFINITY;
  /**
   * Ends a connection that waits for its client when nearly all connections are in use. Otherwise a few addresses could
   * lock out all other clients with connections that send nothing, or only part of a head or body. Connections without
   * a request end first, then the one whose body has been silent longest.
   */
  function makeRoom(): void {
    if (connections.size < bounds.connectionsMax * crowdedShare || clients.endOne(waits)) {
      return;
    }
    const nowMs = performance.now();
    if (nowMs - madeRoomAtMs >= makeRoomEveryMs) {
      madeRoomAtMs = nowMs;
      server.closeIdleConnections();
    }
  }

  server.maxConnections = bounds.connectionsMax;
  server.on('drop', () => countRefused({ reason: 'total' }));
  server.on('connection', socket => {
    if (!clients.add(socket)) {
      countRefused({ reason: 'address' });
      socket.destroy();
      return;
    }
    makeRoom();
    const connection = new Connection(socket, start);
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      connection.onClosed();
    });
  });
  const take: RequestListener = (request, response) => {
    connections.get(request.socket)?.take(request, response);
  };
  server.on('request', take);
  // Node would answer expectations other than `100-continue` itself, without limit and without counting failures.
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket);
    // Node also counts the time of a head that we hold back, and its error would replace the current answer.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection?.isAnswering) {
      connection.endAfterAnswer();
    } else {
      bounds.onClientError(error, socket);
    }
  });
  server.timeout = unreadMsMax;
  server.on('timeout', socket => {
    // Spare a client that waits for its answer, but not one that does not read it.
    if (connections.get(socket)?.isAnswering && socket.writableLength === 0) {
      socket.setTimeout(server.timeout);
    } else {
      socket.destroy();
    }
  });
}

type Exchange = readonly [...Parameters<RequestListener>];

interface Waiting {
  readonly exchange: Exchange;
  /** Runs a function in the request's own context. Otherwise its spans would belong to the previous request. */
  readonly run: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/**
 * One connection. Node parses everything it has read at once, which may be thousands of requests. So this class reads
 * the socket itself and passes the octets to Node's parser one request at a time. It puts the rest back into the buffer
 * of the paused socket.
 */
class Connection {
  readonly #socket: Socket;
  readonly #start: RequestListener;
  readonly #parse: (octets: Buffer) => void;
  /** Parsed requests that wait for their turn: at most a few, which closely followed a body. */
  readonly #waiting: Waiting[] = [];
  #isAnswering = false;
  /** When the connection was opened, or its last request was answered. */
  #sinceMs = performance.now();
  /** When octets last arrived. */
  #octetsMs = this.#sinceMs;
  #hasAnswered = false;
  /** Whether part of a head has arrived. */
  #isInHead = false;
  /** The request whose head was parsed last, while any request is pending. */
  #newest: Exchange[0] | undefined;
  /** Whether this class, and not Node, has paused the socket. */
  #isHolding = false;
  #isLate = false;
  #lingering: NodeJS.Timeout | undefined;

  constructor(socket: Socket, start: RequestListener) {
    this.#socket = socket;
    this.#start = start;
    const [parse, ...others] = socket.listeners('data');
    if (parse === undefined || others.length > 0) {
      throw new Error('Node reads an HTTP connection in another way than connection-bounds.ts expects.');
    }
    this.#parse = parse as (octets: Buffer) => void;
    socket.removeListener('data', this.#parse);
    socket.on('data', octets => this.#read(octets));
    // Node would destroy the socket right after its last response. Unread octets then make TCP reset the connection, and
    // the client may lose the response (RFC 9112 section 9.6).
    socket.destroySoon = () => void socket.end();
    socket.once('finish', () => {
      this.#lingering = setTimeout(() => socket.destroy(), lingerMs).unref();
    });
  }

  get isAnswering(): boolean {
    return this.#isAnswering;
  }

  /** When the connection began to wait for a request, by `performance.now`; undefined while a request is pending. */
  get waitsSinceMs(): number | undefined {
    return this.#isAnswering || this.#socket.destroyed ? undefined : this.#sinceMs;
  }

  /**
   * When the last octets of the current request's body arrived, by the same clock; undefined if none are expected. A
   * body that is not being read waits for us, not for the client.
   */
  get stallsSinceMs(): number | undefined {
    const { destroyed } = this.#socket;
    return this.#isAnswering && this.#isReadingBody() && !this.#socket.isPaused() && !destroyed
      ? this.#octetsMs
      : undefined;
  }

  /** Whether its last answer was handed over and no part of another request has arrived. */
  get isIdle(): boolean {
    return (
      this.#hasAnswered &&
      !this.#isAnswering &&
      !this.#isInHead &&
      !this.#isReadingBody() &&
      this.#socket.readableLength === 0
    );
  }

  /** Makes the current answer the last one: the next request took too long because this class held it back. */
  endAfterAnswer(): void {
    this.#isLate = true;
  }

  take(...exchange: Exchange): void {
    this.#newest = exchange[0];
    this.#isInHead = false;
    if (this.#isAnswering) {
      this.#waiting.push({ exchange, run: AsyncLocalStorage.snapshot() });
    } else {
      this.#isAnswering = true;
      this.#start(...exchange);
    }
  }

  onAnswered(): void {
    if (this.#socket.destroyed) {
      return;
    }
    if (this.#isLate) {
      this.#socket.end();
      return;
    }
    if (this.#waiting.length > 0 && this.#socket.writable) {
      // In a separate turn of the event loop, so that a flood on one connection does not delay the others.
      setImmediate(startNext, this);
      return;
    }
    this.#isAnswering = false;
    this.#hasAnswered = true;
    this.#sinceMs = performance.now();
    if (this.#newest?.complete) {
      this.#newest = undefined;
    }
    this.readOn();
  }

  startNext(): void {
    const next = this.#socket.writable ? this.#waiting.shift() : undefined;
    if (next !== undefined) {
      next.run(this.#start, ...next.exchange);
      this.readOn();
    }
  }

  readOn(): void {
    if (this.#isHolding && !this.#isFull()) {
      this.#isHolding = false;
      this.#socket.resume();
    }
  }

  onClosed(): void {
    clearTimeout(this.#lingering);
    this.#waiting.length = 0;
    this.#newest = undefined;
  }

  /**
   * Whether a parsed request is waiting, or one is being handled and its body is complete. One waiting request is
   * enough: otherwise a client could have all its requests parsed at once by sending each body together with the next
   * head.
   */
  #isFull(): boolean {
    return this.#waiting.length > 0 || (this.#isAnswering && !this.#isReadingBody());
  }

  #isReadingBody(): boolean {
    return this.#newest !== undefined && !this.#newest.complete;
  }

  #read(octets: Buffer): void {
    const socket = this.#socket;
    this.#octetsMs = performance.now();
    let rest = octets;
    while (rest.length > 0) {
      if (socket.destroyed || !socket.writable) {
        // The last response has been sent; further octets are dropped.
        return;
      }
      if (this.#isFull()) {
        this.#hold(rest);
        return;
      }
      if (socket.isPaused()) {
        // Node paused the socket for a reader of the body or of an answer, and resumes it itself.
        socket.unshift(rest);
        return;
      }
      const isInBody = this.#isReadingBody();
      const at = rest.indexOf(headEnd, isInBody ? bodyStepBytesMin : 0);
      const end = at === -1 ? rest.length : at + headEnd.length;
      // Empty lines between requests are not part of a head (RFC 9112 section 2.2).
      this.#isInHead ||= !isInBody && at === -1 && rest[0] !== carriageReturn && rest[0] !== lineFeed;
      this.#parse(end === rest.length ? rest : rest.subarray(0, end));
      rest = rest.subarray(end);
      if (rest.length > 0 && !isInBody && !this.#isAnswering) {
        // Node answered this request itself, as it does if the host is missing. One per turn is enough.
        this.#hold(rest);
        setImmediate(readOn, this);
        return;
      }
    }
  }

  #hold(rest: Buffer): void {
    if (!this.#socket.isPaused()) {
      this.#isHolding = true;
      this.#socket.pause();
    }
    this.#socket.unshift(rest);
  }
}

function startNext(connection: Connection): void {
  connection.startNext();
}

function readOn(connection: Connection): void {
  connection.readOn();
}

const timers = new WeakMap<IncomingMessage, () => void>();

/**
 * Limits the time for a request to arrive, in milliseconds. Node has one limit for all requests of a server, and a file
 * needs more time than an idle connection should get.
 */
export function watchRequest(
  request: IncomingMessage,
  response: ServerResponse,
  msMax: number,
  onTimeout: (response: ServerResponse) => void,
): void {
  // A request without a body has already arrived.
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
    return;
  }
  watch(request, msMax, () => onTimeout(response));
}

/** Replaces a request's deadline with a new one, counted from now. */
export function giveRequestTime(request: IncomingMessage, msMax: number): void {
  timers.get(request)?.();
  watch(request, msMax, () => request.socket.destroy());
}

function watch(request: IncomingMessage, msMax: number, onTimeout: () => void): void {
  const timer = setTimeout(() => {
    if (!request.complete) {
      onTimeout();
    }
  }, msMax).unref();
  const stop = () => {
    clearTimeout(timer);
    timers.delete(request);
  };
  timers.set(request, stop);
  request.once('close', stop);
}
