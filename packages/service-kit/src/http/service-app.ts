import { newId, type Operation, type RequestId } from '@mailproof/shared-types';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { Health } from '../health.ts';
import type { Logger } from '../log.ts';
import { createCounter } from '../metrics.ts';
import { Problem, unavailable } from '../problem.ts';
import { createRareLine, kindOf } from '../rare-warning.ts';
import { describeSpan } from '../tracing.ts';
import { uploadPaceSetting } from './body-stream.ts';
import { problemOf } from './problem-of.ts';
import type { CountFailure } from './request-window.ts';
import type { Route } from './route.ts';

/** What a service's HTTP side is made of. */
export interface ServiceAppOptions {
  readonly routes: readonly Route[];
  readonly health: Health;
  readonly logger: Logger;
  /** What the `type` of a problem begins with; its code follows. */
  readonly problemTypeBase: string;
}

export interface PublicServiceAppOptions extends ServiceAppOptions {
  /**
   * The address under which clients outside reach this application. Where it is an HTTPS address, every answer says that
   * browsers must not use plain HTTP (RFC 6797).
   */
  readonly publicBaseUrl: string;
  /** Proxies whose `X-Forwarded-For` is believed, as Express's `trust proxy` takes them. */
  readonly trustedProxies?: readonly string[];
  /** Minimum rate, in bytes per second, of an upload with its own deadline (`bodyMsMax`); no limit by default. */
  readonly uploadBytesPerSecondMin?: number;
  /** Mounts public pages and files that are no operations, before the answer 404. */
  readonly mountPages?: (app: Express) => void;
  /** Counts requests for unknown paths or with wrong methods, on the public side, against the client's address. */
  readonly countFailure?: CountFailure;
}

/**
 * A year, for this host alone: its neighbors and subdomains may be other people's, and preloading is for the owner of the
 * domain to ask for.
 */
const strictTransport = 'max-age=31536000';

/**
 * The setting of an application that holds its `Strict-Transport-Security`, for answers that Express does not write.
 */
export const strictTransportSetting = 'strict transport security';

/** The two applications of a service that customers reach (ADR 0054); each listens on its own port. */
export interface PublicServiceApps {
  /** For peers and probes. */
  readonly app: Express;
  /** For everyone else. */
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

/** Builds both applications of a service that customers reach. The contract says which of them has an operation. */
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
        mountRoutes(app, routes, options.countFailure);
        options.mountPages?.(app);
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

function mountRoutes(app: Express, routes: readonly Route[], countFailure?: CountFailure): void {
  for (const [path, atPath] of Map.groupBy(routes, ({ operation }) => operation.path)) {
    for (const { operation, handle } of atPath) {
      app[operation.method](
        path,
        (_request, response, next) => {
          response.locals['operation'] = operation.id;
          describeSpan({ 'mailproof.operation': operation.id });
          next();
        },
        handle,
      );
    }
    const methods = atPath.map(({ operation }) => operation.method.toUpperCase());
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.all(path, async (request, response) => {
      await countFailure?.(request, response);
      throw new Problem('method_not_allowed', { detail: `This path takes ${allow}.`, headers: { allow } });
    });
  }
}

function problemAnswer(options: ServiceAppOptions): ErrorRequestHandler {
  const logFailure = (facts: object) => options.logger.error(facts, 'request failed');
  // A client that no guard has let in can send any number of requests.
  const logUnadmittedFailure = createRareLine(logFailure, { everyMs: refusalLinesEveryMs });
  // Express knows an error handler by its four parameters.
  return (error: unknown, _request, response, _next) => {
    const problem = problemOf(error);
    const requestId = response.locals['requestId'] as string;
    response.locals['problem'] = problem.code;
    if (problem.status >= 500) {
      const facts = { err: problem.cause ?? problem, requestId, code: problem.code };
      if (response.locals['isAdmitted']) logFailure(facts);
      else logUnadmittedFailure(kindOf(facts.err), facts);
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Not by `send`, which would add a charset parameter: this media type has none (RFC 9457 section 6.1).
    response
      .status(problem.status)
      .set(problem.headers)
      .setHeader('content-type', 'application/problem+json')
      .end(JSON.stringify(problem.toDocument(options.problemTypeBase, requestId)));
  };
}

/** Time between two lines about requests that were refused, in milliseconds. */
const refusalLinesEveryMs = 1_000;

/**
 * Logs each answer to a request that a guard let in, by its operation; paths and bodies may hold what must not be logged.
 * Clients can send any number of requests that are refused, so those are counted, and told together in one line a second
 * at most.
 */
function createAnswerLog(logger: Logger): (request: Request, response: Response) => void {
  const countRefused = createCounter(
    'mailproof.http.refused_requests',
    'Requests that were refused, failed or broken off before any work was done, by the code of the problem.',
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
