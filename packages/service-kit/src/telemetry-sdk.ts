import { IncomingMessage } from 'node:http';
import { register } from 'node:module';
import type { Span } from '@opentelemetry/api';
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { isUntraced } from './net/untraced.ts';

/**
 * Takes the query out of a span's addresses. It can hold what must not be told: the state and the login hint of an
 * authorization request (RFC 6749 section 4.1.1), an address somebody asks about, a token that was put in the wrong place.
 */
function hideQuery(span: Span, origin: string | undefined, target: string): void {
  const [path = '', query] = target.split('?', 2);
  if (query === undefined) {
    return;
  }
  span.setAttribute('url.query', 'REDACTED');
  if (origin !== undefined) {
    span.setAttribute('url.full', `${origin}${path}?REDACTED`);
  }
}

/** Starts the SDK with the instrumentations that our services need, none of which may record a payload. */
export function startTelemetry(): NodeSDK {
  // Packages that are ES modules are patched through loader hooks.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: request => request.url === '/livez' || request.url === '/readyz',
        requestHook: (span, request) => {
          if (request instanceof IncomingMessage) {
            hideQuery(span, undefined, request.url ?? '');
          }
        },
      }),
      new ExpressInstrumentation(),
      // The command's name alone: arguments of EVALSHA hold the payloads of jobs.
      new IORedisInstrumentation({ dbStatementSerializer: command => command }),
      // Statements are parameterised and `enhancedDatabaseReporting` stays off, so no value is recorded.
      new PgInstrumentation({ requireParentSpan: true }),
      new UndiciInstrumentation({
        // It counts what is not traced as well, under the name of the host.
        ignoreRequestHook: isUntraced,
        requestHook: (span, { origin, path }) => hideQuery(span, String(origin), path),
      }),
    ],
  });
  sdk.start();
  const stop = () => void sdk.shutdown().catch(() => undefined);
  process.once('beforeExit', stop);
  return sdk;
}
