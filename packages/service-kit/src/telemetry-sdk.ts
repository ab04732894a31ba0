import { IncomingMessage } from 'node:http';
import { register } from 'node:module';
import { type Span, trace } from '@opentelemetry/api';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { AggregationType, type ViewOptions } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { observeMemory } from './metrics.ts';
import { isUntraced } from './net/untraced.ts';
import { whenTelemetryEnds } from './telemetry/ending.ts';
import { PrometheusReader } from './telemetry/prometheus-reader.ts';
import { quietable } from './telemetry/quiet-stores.ts';
import { serviceNameOf } from './telemetry/service-name.ts';
import type { Signals } from './telemetry/signals.ts';

/**
 * Takes paths and queries out of a span's addresses; the route tells what was asked for. They can hold what must not be
 * told: accounts, the state and the login hint of an authorization request (RFC 6749 section 4.1.1), an address somebody
 * asks about, a token that was put in the wrong place.
 */
function hideTarget(span: Span, origin: string | undefined): void {
  span.setAttributes({ 'url.path': 'REDACTED', 'url.query': 'REDACTED' });
  if (origin !== undefined) {
    span.setAttribute('url.full', `${origin}/REDACTED`);
  }
}

/** What machines ask for every few seconds. */
const untoldPaths: readonly string[] = ['/livez', '/readyz', '/metrics'];

/** Metrics of libraries that are left out: ours tell the same with the pool's name instead of `unknown_host`. */
const views: ViewOptions[] = [
  { instrumentName: 'db.client.connection.*', aggregation: { type: AggregationType.DROP } },
];

/** Starts the SDK with the instrumentations that our services need, none of which may record a payload. */
export function startTelemetry({ traces, metrics }: Signals, environment: NodeJS.ProcessEnv): NodeSDK {
  // Packages that are ES modules are patched through loader hooks.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const stores = [
    // The command's name alone: arguments of EVALSHA hold the payloads of jobs.
    new IORedisInstrumentation({ dbStatementSerializer: command => command }),
    // Statements are parameterised and `enhancedDatabaseReporting` stays off, so no value is recorded.
    new PgInstrumentation({ requireParentSpan: true }),
  ];
  const serviceName = serviceNameOf(environment, process.argv[1]);
  const sdk = new NodeSDK({
    ...(serviceName !== undefined && { serviceName }),
    ...(!traces && { spanProcessors: [] }),
    ...(metrics !== 'pushed' && { metricReaders: metrics === 'served' ? [createReader(environment)] : [] }),
    // Logs go to standard output.
    logRecordProcessors: [],
    views,
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: request => untoldPaths.includes(request.url ?? ''),
        // Peers are called by `fetch`. What goes out this way goes to hosts that recipients' domains name.
        disableOutgoingRequestInstrumentation: true,
        requestHook: (span, request) => {
          if (request instanceof IncomingMessage) {
            hideTarget(span, undefined);
          }
        },
      }),
      // For the route alone, which it tells to the span of HTTP: one span a request is enough.
      new ExpressInstrumentation({ ignoreLayersType: Object.values(ExpressLayerType) }),
      ...stores,
      new UndiciInstrumentation({
        // It counts what is not traced as well, under the name of the host.
        ignoreRequestHook: isUntraced,
        requestHook: (span, { origin }) => hideTarget(span, String(origin)),
      }),
      new RuntimeNodeInstrumentation(),
    ],
  });
  sdk.start();
  for (const store of stores) {
    store.setTracerProvider(quietable(trace.getTracerProvider()));
  }
  observeMemory();
  whenTelemetryEnds(() => sdk.shutdown());
  return sdk;
}

/** Listens where the service does, unless it is told otherwise. */
function createReader({
  OTEL_EXPORTER_PROMETHEUS_HOST: host,
  OTEL_EXPORTER_PROMETHEUS_PORT: port,
  HOST: serviceHost,
}: NodeJS.ProcessEnv): PrometheusReader {
  return new PrometheusReader(
    {
      host: host || serviceHost || '127.0.0.1',
      port: Number(port || 9464),
      withResourceConstantLabels: /^service\.name$/,
    },
    error => {
      if (error) {
        // Whoever asked for metrics must not find out later that there are none.
        process.stderr.write(`Metrics cannot be served: ${error.message}\n`);
        process.exit(1);
      }
    },
  );
}
