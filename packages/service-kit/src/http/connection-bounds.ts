import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createCounter } from '../metrics.ts';
import { createClientConnections, heldBackSinceMs, type Waits } from './client-connections.ts';

export interface ConnectionBounds {
  /** Open connections of the server. */
  readonly connectionsMax: number;
  /** Open connections of one client address (of one /64 for IPv6). */
  readonly connectionsPerAddressMax: number;
  /** Whether an address is a proxy, whose connections carry the requests of many clients. */
  readonly isProxy: (address: string) => boolean;
  /** Answers what cannot be read as a request. It is not called while an answer of the connection is under way. */
  readonly onClientError: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

/** Ends the head of a request (RFC 9112 section 2.1). */
const headEnd = '\r\n\r\n';
const [carriageReturn, lineFeed] = [0x0d, 0x0a];
/** While a body comes in, at least so many octets are parsed at once: a body may consist of ends of heads. */
const bodyStepBytesMin = 1_024;
/** From this share of all connections on, a new one replaces one that waits for its client. */
const crowdedShare = 0.9;
/** Up to this share of all connections, a network has few. */
const fewShare = 0.01;
/** Time between two looks for idle connections of proxies, in milliseconds. */
const makeRoomEveryMs = 250;
/** Time without progress for an answer that the client does not read, in milliseconds. */
const unreadMsMax = 60_000;
/** Time in which a client can still read the last response after we have closed our side, in milliseconds. */
const lingerMs = 2_000;

/**
 * Bounds what clients can make a server keep (ADR 0053): the number of connections, and on each connection the requests
 * that are under way. The requests of one connection are handled one after the other, in their order, as RFC 9112 section
 * 9.3.2 allows; `handle` gets the next one when the previous response was handed over or has failed. Until then the
 * octets of further requests stay unparsed, and once some 128 KiB of them are buffered the socket is not read.
 *
 * Call it on a server without listeners for requests and client errors, before the server listens.
 */
export function boundConnections(server: Server, handle: RequestListener, bounds: ConnectionBounds): void {
  const connections = new Map<Socket, Connection>();
  const countRefused = createCounter(
    'mailproof.http.refused_connections',
    'Connections that were closed at once, because there were too many or too many from one address.',
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

  // One function for all responses: a closure for each would be garbage of every request (ADR 0050).
  function onResponseClosed(this: ServerResponse): void {
    connections.get(this.req.socket)?.onAnswered();
  }
  const start: RequestListener = (request, response) => {
    response.once('close', onResponseClosed);
    handle(request, response);
  };

  // Node's own ends a connection whose answer is complete but not sent yet, and a slow reader loses the rest of it.
  server.closeIdleConnections = () => {
    for (const [socket, connection] of connections) {
      if (connection.isIdle) {
        socket.destroy();
      }
    }
  };

  let madeRoomAtMs = Number.NEGATIVE_INFINITY;
  /**
   * Ends a connection that waits for its client when nearly all are taken. Otherwise a few addresses could keep all other
   * clients out with connections on which nothing comes, or only a part of a head or body. Those without a request end
   * first, and of those with a body the one of which nothing has come for the longest time.
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
    // Node counts the time of a head that we hold back, and would write its error in place of the answer under way.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection?.isAnswering) {
      connection.endAfterAnswer();
    } else {
      bounds.onClientError(error, socket);
    }
  });
  server.timeout = unreadMsMax;
  server.on('timeout', socket => {
    // A client that waits for its answer is patient for a good reason; one that does not read it is not.
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
  /** Runs a function in the request's own context. Otherwise its spans would belong to the request before. */
  readonly run: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/**
 * One connection. Node parses whatever it has read at once, which may be thousands of requests, so this class takes the
 * octets from the socket itself and passes them to Node's parser one request at a time. What it does not pass on goes back
 * into the buffer of the paused socket.
 */
class Connection {
  readonly #socket: Socket;
  readonly #start: RequestListener;
  readonly #parse: (octets: Buffer) => void;
  /** Parsed requests that wait for their turn; a few at most, where they followed a body closely. */
  readonly #waiting: Waiting[] = [];
  #isAnswering = false;
  /** When the connection was opened, or its last request was answered. */
  #sinceMs = performance.now();
  /** When octets came last. */
  #octetsMs = this.#sinceMs;
  #hasAnswered = false;
  /** Whether a part of a head has come. */
  #isInHead = false;
  /** The request whose head was parsed last, while any is under way. */
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

  /** Since when no request is under way, on the clock of `performance.now`; undefined while one is. */
  get waitsSinceMs(): number | undefined {
    return this.#isAnswering || this.#socket.destroyed ? undefined : this.#sinceMs;
  }

  /**
   * Since when nothing comes of the body of the request under way, on the same clock; undefined where none is awaited. A
   * body that is not read at present waits for us and not for the client.
   */
  get stallsSinceMs(): number | undefined {
    const { destroyed } = this.#socket;
    return this.#isAnswering && this.#isReadingBody() && !this.#socket.isPaused() && !destroyed
      ? this.#octetsMs
      : undefined;
  }

  /** Whether its last answer was handed over and nothing of another request has come. */
  get isIdle(): boolean {
    return (
      this.#hasAnswered &&
      !this.#isAnswering &&
      !this.#isInHead &&
      !this.#isReadingBody() &&
      this.#socket.readableLength === 0
    );
  }

  /** The answer under way is the last one: the next request took too long, since this class held it back. */
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
      // In a turn of the event loop of its own, so that a flood on one connection does not hold up the others.
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
   * A parsed request waits, or one is under way and nothing that is still to come in belongs to it. One that waits is
   * enough: otherwise requests with bodies, cut so that each body comes with the next head, would all be parsed at once.
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
        // The last response has been sent; what follows is dropped.
        return;
      }
      if (this.#isFull()) {
        this.#hold(rest);
        return;
      }
      if (socket.isPaused()) {
        // Node has paused for a reader of the body or of an answer, and resumes the socket itself.
        socket.unshift(rest);
        return;
      }
      const isInBody = this.#isReadingBody();
      const at = rest.indexOf(headEnd, isInBody ? bodyStepBytesMin : 0);
      const end = at === -1 ? rest.length : at + headEnd.length;
      // Empty lines between requests are no part of a head (RFC 9112 section 2.2).
      this.#isInHead ||= !isInBody && at === -1 && rest[0] !== carriageReturn && rest[0] !== lineFeed;
      this.#parse(end === rest.length ? rest : rest.subarray(0, end));
      rest = rest.subarray(end);
      if (rest.length > 0 && !isInBody && !this.#isAnswering) {
        // Node has answered this request itself, as it does where the host is missing. One a turn is enough.
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
