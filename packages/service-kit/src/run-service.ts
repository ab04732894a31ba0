import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limits, type ProblemCode, problemKinds } from '@mailproof/shared-types';
import type { Express } from 'express';
import { ConfigError, type ServiceSettings } from './config.ts';
import type { Health } from './health.ts';
import { watchRequest } from './http/request-deadline.ts';
import type { Logger } from './log.ts';
import { endTelemetry } from './telemetry/ending.ts';

/** A composed service, ready to be started and stopped. */
export interface Service {
  readonly app: Express;
  readonly health: Health;
  readonly logger: Logger;
  /** Begins background work; called once the port is open. */
  start?(): Promise<void>;
  /** Ends background work and closes every connection; called when no request is running any more. */
  stop(): Promise<void>;
}

export interface RunningService {
  readonly port: number;
  /** Stops taking requests, lets running ones finish within the deadline, then closes everything. */
  stop(): Promise<void>;
}

/** Time for a request to come in, unless its operation gives it another, in milliseconds. */
const requestMsMax = 30_000;
/** Longer than any operation gives: Node's own deadline, in case that nobody else watches. */
const anyRequestMsMax = limits.uploadMsMax + 120_000;

/** Time between two looks for idle connections while stopping, in milliseconds. */
const idleCheckMs = 50;

/** Listens and starts the service. */
export async function startService(service: Service, settings: ServiceSettings): Promise<RunningService> {
  const server = createServer(
    { requestTimeout: anyRequestMsMax, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    service.app,
  );
  server.prependListener('request', (request, response) =>
    watchRequest(request, response, requestMsMax, answerTimeout),
  );
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(settings.PORT, settings.HOST, resolve);
  });
  await service.start?.();
  const { port } = server.address() as AddressInfo;
  service.logger.info({ host: settings.HOST, port }, 'listening');
  let stopped: Promise<void> | undefined;
  return {
    port,
    stop() {
      stopped ??= stopInOrder(service, server, settings.SHUTDOWN_DEADLINE_MS);
      return stopped;
    },
  };
}

async function stopInOrder(service: Service, server: Server, deadlineMs: number): Promise<void> {
  service.health.markStopping();
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  // A connection whose last request has been answered would be kept alive for a next one, which must not come.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  await new Promise<void>(resolve => {
    server.close(() => resolve());
  });
  clearTimeout(deadline);
  clearInterval(idle);
  await service.stop();
}

/**
 * The whole life of a service process: compose, start, stop on a signal. A parent that started this process with an
 * IPC channel and dies closes the channel, which stops the service too, so that no crash leaves one behind.
 */
export function runService(name: string, start: () => Promise<RunningService>): void {
  let running: RunningService | undefined;
  let stopping = false;
  const stop = async () => {
    if (stopping) {
      return;
    }
    stopping = true;
    await running?.stop();
    await endTelemetry();
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
  }, fail);
}

/** What Node says of a request that it could not read. */
const clientErrorCodes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** A request that dawdles is answered like one that Node itself gives up. */
function answerTimeout(response: ServerResponse): void {
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

/** Answers what is not HTTP at all, before Express can: the reply must be written by hand. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = clientErrorCodes[error.code ?? ''] ?? 'invalid_request';
  const { status, title } = problemKinds[code];
  const body = JSON.stringify({ type: 'about:blank', title, status, code });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
