import { newId, type Operation, type RequestId } from '@mailproof/shared-types';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { Health } from '../health.ts';
import type { Logger } from '../log.ts';
import { Problem, unavailable } from '../problem.ts';
import { createRareLine, kindOf } from '../rare-warning.ts';
import { createCounter, describeSpan } from '../signals.ts';
import { uploadPaceSetting } from './body-stream.ts';
import { problemOf } from './problem-of.ts';
import type { CountFailure } from './request-window.ts';
import type { Route } from './route.ts';

/** The parts of a service's HTTP side. */
export interface ServiceAppOptions {
  readonly routes: readonly Route[];
  readonly health: Health;
  readonly logger: Logger;
  /** Prefix of a problem's `type`, to which its code is appended. */
  readonly problemTypeBase: string;
}

export interface PublicServiceAppOptions extends ServiceAppOptions {
  /**
   * The address under which outside clients reach this application. If it is HTTPS, every answer tells browsers not to
   * use plain HTTP (RFC 6797).
   */
  readonly publicBaseUrl: string;
  /** Proxies whose `X-Forwarded-For` is trusted, in the form of Express's `trust proxy`. */
  readonly trustedProxies?: readonly string[];
  /** Minimum rate, in bytes per second, of an upload with its own deadline (`bodyMsMax`); no limit by default. */
  readonly uploadBytesPerSecondMin?: number;
  /** Mounts public pages and files that are not operations, before these. */
  readonly mountPages?: (app: Express) => void;
  /** Counts requests with unknown paths or wrong methods on the public side, against the client's address. */
  readonly countFailure?: CountFailure;
}

/** One year, for this host only: its subdomains may belong to others, and preloading is up to the domain's owner. */
const strictTransport = 'max-age=31536000';

/** The app setting that holds the `Strict-Transport-Security` value, for answers that Express does not write. */
export const strictTransportSetting = 'strict transport security';

/** The two applications of a service that customers reach (ADR 0054); each listens on its own port. */
export interface PublicServiceApps {
  /** Serves peers and probes. */
  readonly app: Express;
  /** Serves all other clients. */
  readonly publicApp: Express;
}

/**
 * Builds the application of a service that only peers call: health, operations, then a problem document for everything
 * else. Throws on a public operation, because the service has no public port.
 */
export function createServiceApp(options: ServiceAppOptions): Express {
  const misplaced = options.routes.find(({ operation }) => !isInternal(operation));
  if (misplaced) {
    throw new Error(`${misplaced.operation.id} is public, but this service has no public side.`);
  }
  return buildApp(options, app => {
    mountHealth(app, options.health);
    app.use((_request, _response, next) => {
      if (options.health.isStarting()) {
        throw unavailable('The service is starting.');
      }
      next();
    });
    mountRoutes(app, options.routes);
  });
}

/** Builds both applications of a public service. The contract says which of them serves an operation. */
export function createPublicServiceApps(options: PublicServiceAppOptions): PublicServiceApps {
  const internal = options.routes.filter(({ operation }) => isInternal(operation));
  return {
    app: createServiceApp({ ...options, routes: internal }),
    publicApp: buildApp(
      options,
      app => {
        app.set('trust proxy', options.trustedProxies ?? false);
        app.set(uploadPaceSetting, options.uploadBytesPerSecondMin ?? 0);
        if (new URL(options.publicBaseUrl).protocol === 'https:') {
          app.set(strictTransportSetting, strictTransport);
          app.use((_request, response, next) => {
            response.setHeader('strict-transport-security', strictTransport);
            next();
          });
        }
        const routes = options.routes.filter(({ operation }) => !isInternal(operation));
        // A page may have the path of an operation with another method.
        options.mountPages?.(app);
        mountRoutes(app, routes, options.countFailure);
      },
      options.countFailure,
    ),
  };
}

function isInternal({ access }: Operation): boolean {
  return access.kind === 'service';
}

function buildApp(
  options: ServiceAppOptions,
  mount: (app: Express) => void,
  countFailure?: CountFailure,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  const logAnswer = createAnswerLog(options.logger);
  app.use((request, response, next) => {
    response.locals['requestId'] = newId('request');
    response.setHeader('x-request-id', response.locals['requestId'] as RequestId);
    describeSpan({ 'mailproof.request_id': response.locals['requestId'] as RequestId });
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    logAnswer(request, response);
    next();
  });
  mount(app);
  app.use(async (request, response) => {
    await countFailure?.(request, response);
    throw new Problem('route_not_found');
  });
  app.use(problemAnswer(options));
  return app;
}

/** Probes are admitted and have no operation, so they are neither counted nor logged. */
function mountHealth(app: Express, health: Health): void {
  app.get('/livez', (_request, response) => {
    response.locals['isAdmitted'] = true;
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    response.locals['isAdmitted'] = true;
    const report = await health.report();
    response.status(report.ready ? 200 : 503).json(report);
  });
}

/** Mounts literal paths before those with a parameter in the same position, which would match their requests. */
function mountRoutes(app: Express, routes: readonly Route[], countFailure?: CountFailure): void {
  const byPath = [...Map.groupBy(routes, ({ operation }) => operation.path)].sort(([first], [second]) => {
    // Not `localeCompare`, which makes the process load Node's data about languages.
    const [one, other] = [parameterPositions(first), parameterPositions(second)];
    return one < other ? -1 : Number(one > other);
  });
  for (const [path, atPath] of byPath) {
    // `app.all` would add a handler with its own matcher for each of the 35 methods that Node knows.
    const route = app.route(path);
    for (const { operation, handle } of atPath) {
      route[operation.method]((_request, response, next) => {
        response.locals['operation'] = operation.id;
        describeSpan({ 'mailproof.operation': operation.id });
        next();
      }, handle);
    }
    const methods = atPath.map(({ operation }) => operation.method.toUpperCase());
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
    route.all(async (request, response) => {
      await countFailure?.(request, response);
      throw new Problem('method_not_allowed', { detail: `This path allows ${allow}.`, headers: { allow } });
    });
  }
}

/** Returns one character per path segment: `0` for a literal, `1` for a parameter. */
function parameterPositions(path: string): string {
  return path
    .split('/')
    .map(segment => (segment.startsWith(':') ? '1' : '0'))
    .join('');
}

function problemAnswer(options: ServiceAppOptions): ErrorRequestHandler {
  const logFailure = (facts: object) => options.logger.error(facts, 'request failed');
  // A client that no guard has admitted can send any number of requests.
  const logUnadmittedFailure = createRareLine(logFailure, { everyMs: refusalLinesEveryMs });
  const countSimulated = createCounter(
    'mailproof.http.simulated_failures',
    'Answers with 5xx that the sandbox simulates.',
  );
  // A service that is starting refuses every request, which is no failure. Express recognizes an error handler by its
  // four parameters.
  return (error: unknown, _request, response, _next) => {
    const problem = problemOf(error);
    const requestId = response.locals['requestId'] as string;
    response.locals['problem'] = problem.code;
    if (problem.status >= 500 && problem.isSimulated) {
      countSimulated();
    } else if (problem.status >= 500 && !options.health.isStarting()) {
      const facts = { err: problem.cause ?? problem, requestId, code: problem.code };
      if (response.locals['isAdmitted']) logFailure(facts);
      else logUnadmittedFailure(kindOf(facts.err), facts);
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Not with `send`, which would add a charset parameter: this media type has none (RFC 9457 section 6.1).
    response
      .status(problem.status)
      .set(problem.headers)
      .setHeader('content-type', 'application/problem+json')
      .end(JSON.stringify(problem.toDocument(options.problemTypeBase, requestId)));
  };
}

/** Minimum time between two log lines about refused requests, in milliseconds. */
const refusalLinesEveryMs = 1_000;

/**
 * Logs each answer to a request that a guard admitted, by its operation; paths and bodies may contain data that must
 * not be logged. Clients can send any number of requests that are refused, so those are counted and logged together, at
 * most one line per second.
 */
function createAnswerLog(logger: Logger): (request: Request, response: Response) => void {
  const countRefused = createCounter(
    'mailproof.http.refused_requests',
    'Requests that were rejected, failed or interrupted before any work was done, by problem code.',
    [],
  );
  const tellRefused = createRareLine(facts => logger.info(facts, 'requests refused'), {
    everyMs: refusalLinesEveryMs,
  });
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const { operation, isAdmitted, problem, requestId, accountId } = response.locals;
      const status = response.writableFinished ? response.statusCode : 'aborted';
      if (isAdmitted) {
        if (operation !== undefined) {
          const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
          logger.info({ operation, method: request.method, status, durationMs, requestId }, 'request');
        }
      } else if (status === 'aborted' || status >= 400) {
        const code = problem ?? String(status);
        countRefused({ code });
        tellRefused('', { code, status, operation, requestId, accountId });
      }
    });
  };
}
