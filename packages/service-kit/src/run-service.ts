import type { Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { limits, type ProblemCode, problemKinds } from '@mailproof/shared-types';
import type { Express } from 'express';
import { collectGarbageOfStart } from './collect-garbage.ts';
import { ConfigError, type ServiceSettings } from './config.ts';
import type { Health, HealthCheck } from './health.ts';
import { boundConnections } from './http/connection-bounds.ts';
import { strictTransportSetting } from './http/service-app.ts';
import type { Logger } from './log.ts';
import { untilNeedsWork } from './needs.ts';
import { endTelemetry } from './telemetry/ending.ts';

/** Required, not imported: an import reads every export, and one of them makes Node load its own undici, in 37 ms. */
const { createServer, STATUS_CODES }: typeof import('node:http') = createRequire(import.meta.url)(
  'node:http',
);

/** A composed service, ready to be started and stopped. */
export interface Service {
  /** Answers peers and probes. */
  readonly app: Express;
  /** Answers all other clients, on its own port; absent if only peers call (ADR 0054). */
  readonly publicApp?: Express;
  readonly health: Health;
  readonly logger: Logger;
  /**
   * What must work before `start`, in this order. Each is tried until it does, for ten minutes together, because stores
   * may start and migrations may run later than the service; readiness names the one that does not work.
   */
  readonly needs?: Readonly<Record<string, HealthCheck>>;
  /**
   * Makes the service ready for requests and starts background work. No operation is handled before this resolves
   * (ADR 0060). When it rejects, the process ends.
   */
  start?(): Promise<void>;
  /** Ends background work and closes every connection; called when no request is running. */
  stop(): Promise<void>;
}

export interface RunningService {
  /** The port that `PORT` sets: the public one if the service has a public side. */
  readonly port: number;
  /** The port for peers and probes; the same port if there is no public side. */
  readonly internalPort: number;
  /** Stops accepting requests, lets running ones finish within the deadline, then closes everything. */
  stop(): Promise<void>;
}

/** Time for a request to arrive, unless its operation sets another, in milliseconds. */
const requestMsMax = 30_000;
/** Node's own deadline for a request, as a last resort: longer than any operation's time. */
const anyRequestMsMax = limits.uploadMsMax + 120_000;

/** How often idle connections are closed while stopping, in milliseconds. */
const idleCheckMs = 50;
/**
 * How long clients are advised to keep an idle connection, in milliseconds (`Keep-Alive: timeout`, RFC 2068 section
 * 19.7.1). A client that heeds it closes its connection before a stopping service does, and loses no request that it is
 * sending: undici waits for two seconds less, Node's agent for one, and idle connections have three while stopping.
 */
const advisedIdleMs = 4_000;
/** How long an idle connection stays open, in milliseconds: longer than load balancers keep theirs. */
const idleMsMax = 65_000;

/**
 * Share of the time for stopping in which idle connections stay open. A proxy may be about to send a request on one; that
 * request is answered with `Connection: close`, so the proxy uses another replica for its next one.
 */
const idleShare = 0.1;

/**
 * Starts a service and opens its ports (ADR 0060). The internal port opens first: probes learn that the service is
 * starting, and peers get 503. The public port opens when `start` has resolved. Then the service reports that it is
 * ready.
 *
 * Rejects when a port cannot be opened or `start` rejects; the ports are closed by then.
 */
export async function startService(service: Service, settings: ServiceSettings): Promise<RunningService> {
  const { HOST: host, PORT, INTERNAL_PORT } = settings;
  if ((service.publicApp === undefined) !== (INTERNAL_PORT === undefined)) {
    throw new Error('A service has INTERNAL_PORT exactly when it has a public side.');
  }
  service.health.markStarting();
  const inner = await listen(service.app, settings, INTERNAL_PORT ?? PORT, everyPeer);
  let outer: Server | undefined;
  try {
    await untilNeedsWork(service);
    await service.start?.();
    collectGarbageOfStart();
    outer = service.publicApp && (await openPublicPort(service, service.publicApp, settings));
  } catch (error) {
    await close(inner, performance.now(), performance.now());
    throw error;
  }
  service.health.markStarted();
  const servers = outer ? [outer, inner] : [inner];
  const internalPort = portOf(inner);
  const port = outer ? portOf(outer) : internalPort;
  service.logger.info({ host, port, internalPort }, 'listening');
  let stopped: Promise<void> | undefined;
  return {
    port,
    internalPort,
    stop() {
      stopped ??= stopInOrder(service, servers, settings.SHUTDOWN_DEADLINE_MS);
      return stopped;
    },
  };
}

/** Opens the public port. If the port is taken, stops the service, which has already started. */
async function openPublicPort(service: Service, app: Express, settings: ServiceSettings): Promise<Server> {
  try {
    return await listen(app, settings, settings.PORT, app.get('trust proxy fn'));
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Every peer counts as a proxy, because it sends the requests of many clients. */
const everyPeer = () => true;

async function listen(
  app: Express,
  settings: ServiceSettings,
  port: number,
  isProxy: (address: string, hop: number) => boolean,
): Promise<Server> {
  const server = createServer({
    requestTimeout: anyRequestMsMax,
    headersTimeout: 10_000,
    keepAliveTimeout: advisedIdleMs,
    // Node waits for both together.
    keepAliveTimeoutBuffer: idleMsMax - advisedIdleMs,
  });
  const answerClientError = clientErrorAnswer(app.get(strictTransportSetting));
  boundConnections(server, app, {
    connectionsMax: settings.CONNECTIONS_MAX,
    connectionsPerAddressMax: settings.CONNECTIONS_PER_ADDRESS_MAX,
    isProxy: address => isProxy(address, 0),
    onClientError: answerClientError,
    requestMsMax,
    onLateRequest: response => answerLateRequest(response, answerClientError),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, settings.HOST, resolve);
  });
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Stops one server after the other, so that probes see that the service is stopping while customers' requests end. */
async function stopInOrder(service: Service, servers: readonly Server[], deadlineMs: number): Promise<void> {
  service.health.markStopping();
  const startedAt = performance.now();
  const idleEndsAt = startedAt + deadlineMs * idleShare;
  for (const [index, server] of servers.entries()) {
    // The last server keeps a tenth of the time for requests that arrived while the other one closed.
    const share = index === servers.length - 1 ? 1 : 0.9;
    await close(server, idleEndsAt, startedAt + deadlineMs * share);
  }
  await service.stop();
}

/** Accepts no more connections and ends the open ones: idle ones from `idleEndsAt` on, the rest at `endsAt`. */
async function close(server: Server, idleEndsAt: number, endsAt: number): Promise<void> {
  const look = setInterval(() => {
    const now = performance.now();
    if (now >= endsAt) server.closeAllConnections();
    // Immediates run after the loop has read what arrived: on a busy loop, an idle connection may have a request.
    else if (now >= idleEndsAt) setImmediate(() => server.closeIdleConnections());
  }, idleCheckMs);
  await new Promise<void>(resolve => {
    // `http.Server` would end idle connections at once.
    NetServer.prototype.close.call(server, () => resolve());
  });
  clearInterval(look);
}

/**
 * Sent to a parent with an IPC channel when the ports are open. An answer at a port does not prove that: another program
 * may have taken the port.
 */
const listeningMessage = { type: 'listening' } as const;

/**
 * Runs a service process: composes and starts the service, and stops it on a signal. If the parent started this process
 * with an IPC channel and dies, the channel closes. This also stops the service, so that no crash leaves one behind.
 */
export function runService(name: string, start: () => Promise<RunningService>): void {
  let running: RunningService | undefined;
  let stopping = false;
  const stop = async () => {
    if (stopping) {
      return;
    }
    stopping = true;
    // A service that is still starting has handled no request, so there is nothing to finish.
    if (running) {
      await running.stop();
      await endTelemetry();
    }
    process.exit(0);
  };
  const fail = (error: unknown) => {
    const text =
      error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${name} stopped: ${text}\n`);
    process.exit(1);
  };
  process.on('SIGTERM', () => void stop().catch(fail));
  process.on('SIGINT', () => void stop().catch(fail));
  process.on('disconnect', () => void stop().catch(fail));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  start().then(service => {
    running = service;
    process.send?.(listeningMessage, () => undefined);
  }, fail);
}

/** Node's codes for requests that it could not parse. */
const clientErrorCodes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

type AnswerClientError = (error: NodeJS.ErrnoException, socket: Socket) => void;

/** Answers a request that takes too long, in the same way as requests that Node times out itself. */
function answerLateRequest(response: ServerResponse, answerClientError: AnswerClientError): void {
  const { socket } = response;
  if (socket === null || response.headersSent) {
    response.req.socket.destroy();
    return;
  }
  answerClientError(
    Object.assign(new Error('request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  );
}

/**
 * Answers input that is not HTTP. Express never sees it, so the reply is written by hand.
 *
 * @param strictTransport the value of `Strict-Transport-Security`; undefined to send none
 */
function clientErrorAnswer(strictTransport: string | undefined): AnswerClientError {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const code = clientErrorCodes[error.code ?? ''] ?? 'invalid_request';
    const { status, title, remedy } = problemKinds[code];
    const body = JSON.stringify({ type: 'about:blank', title, status, code, remedy });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(strictTransport === undefined ? [] : [`Strict-Transport-Security: ${strictTransport}`]),
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}
