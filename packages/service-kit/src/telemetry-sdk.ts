import { register } from 'node:module';
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';

/** Starts the SDK with the instrumentations that our services need, none of which may record a payload. */
export function startTelemetry(): NodeSDK {
  // Packages that are ES modules are patched through loader hooks.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: request => request.url === '/livez' || request.url === '/readyz',
      }),
      new ExpressInstrumentation(),
      // The command's name alone: arguments of EVALSHA hold the payloads of jobs.
      new IORedisInstrumentation({ dbStatementSerializer: command => command }),
      // Statements are parameterised and `enhancedDatabaseReporting` stays off, so no value is recorded.
      new PgInstrumentation({ requireParentSpan: true }),
      new UndiciInstrumentation(),
    ],
  });
  sdk.start();
  const stop = () => void sdk.shutdown().catch(() => undefined);
  process.once('beforeExit', stop);
  return sdk;
}
