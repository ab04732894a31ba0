import { newId, type Operation, type RequestId } from '@mailproof/shared-types';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { Health } from '../health.ts';
import type { Logger } from '../log.ts';
import { Problem } from '../problem.ts';
import { describeSpan } from '../tracing.ts';
import { uploadPaceSetting } from './body-stream.ts';
import { problemOf } from './problem-of.ts';
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
  /** Proxies whose `X-Forwarded-For` is believed, as Express's `trust proxy` takes them. */
  readonly trustedProxies?: readonly string[];
  /** Octets a second that a client has to bring of an upload that has a time of its own; any pace where it is left out. */
  readonly uploadBytesPerSecondMin?: number;
  /** Mounts public pages and files that are no operations, before the answer 404. */
  readonly mountPages?: (app: Express) => void;
}

/** The two doors of a service that customers reach (ADR 0054); each listens on a port of its own. */
export interface PublicServiceApps {
  /** For peers and probes. */
  readonly app: Express;
  /** For everyone else. */
  readonly publicApp: Express;
}

/**
 * Builds the application of a service that only peers call: health, operations, then a problem document for everything
 * else. Throws on a public operation, for which the service has no door.
 */
export function createServiceApp(options: ServiceAppOptions): Express {
  const misplaced = options.routes.find(({ operation }) => !isInternal(operation));
  if (misplaced) {
    throw new Error(`${misplaced.operation.id} is public, but this service has no public side.`);
  }
  return buildApp(options, app => {
    mountHealth(app, options.health);
    mountRoutes(app, options.routes);
  });
}

/** Builds both applications of a service that customers reach. The contract says which of them has an operation. */
export function createPublicServiceApps(options: PublicServiceAppOptions): PublicServiceApps {
  const internal = options.routes.filter(({ operation }) => isInternal(operation));
  return {
    app: createServiceApp({ ...options, routes: internal }),
    publicApp: buildApp(options, app => {
      app.set('trust proxy', options.trustedProxies ?? false);
      app.set(uploadPaceSetting, options.uploadBytesPerSecondMin ?? 0);
      mountRoutes(
        app,
        options.routes.filter(({ operation }) => !isInternal(operation)),
      );
      options.mountPages?.(app);
    }),
  };
}

function isInternal({ access }: Operation): boolean {
  return access.kind === 'service';
}

function buildApp(options: ServiceAppOptions, mount: (app: Express) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use((request, response, next) => {
    response.locals['requestId'] = newId('request');
    response.setHeader('x-request-id', response.locals['requestId'] as RequestId);
    describeSpan({ 'mailproof.request_id': response.locals['requestId'] as RequestId });
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    logAnswer(options.logger, request, response);
    next();
  });
  mount(app);
  app.use(() => {
    throw new Problem('route_not_found');
  });
  app.use(problemAnswer(options));
  return app;
}

function mountHealth(app: Express, health: Health): void {
  app.get('/livez', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    const report = await health.report();
    response.status(report.ready ? 200 : 503).json(report);
  });
}

function mountRoutes(app: Express, routes: readonly Route[]): void {
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
    app.all(path, () => {
      throw new Problem('method_not_allowed', { detail: `This path takes ${allow}.`, headers: { allow } });
    });
  }
}

function problemAnswer(options: ServiceAppOptions): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, _request, response, _next) => {
    const problem = problemOf(error);
    const requestId = response.locals['requestId'] as string;
    if (problem.status >= 500) {
      options.logger.error(
        { err: problem.cause ?? problem, requestId, code: problem.code },
        'request failed',
      );
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

/** Logs each answer by its operation; paths and bodies may hold what must not be logged. */
function logAnswer(logger: Logger, request: Request, response: Response): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const operation = response.locals['operation'] as string | undefined;
    if (operation) {
      logger.info(
        {
          operation,
          method: request.method,
          status: response.writableFinished ? response.statusCode : 'aborted',
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
          requestId: response.locals['requestId'] as string,
        },
        'request',
      );
    }
  });
}
