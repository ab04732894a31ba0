import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { type Span, trace } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  AggregationType,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type ViewOptions,
} from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import { observeMemory } from './signals.ts';
import { whenTelemetryEnds } from './telemetry/ending.ts';
import { isUntraced, quietable } from './telemetry/quiet.ts';
import type { Signals } from './telemetry/signals.ts';

/**
 * Removes paths and queries from a span's URLs; the route still shows which operation it was. They can contain data
 * that must not be exported: accounts, the state and the login hint of an authorization request (RFC 6749 section
 * 4.1.1), a validated address, a misplaced token.
 */
function hideTarget(span: Span, origin: string | undefined): void {
  span.setAttributes({ 'url.path': 'REDACTED', 'url.query': 'REDACTED' });
  if (origin !== undefined) {
    span.setAttribute('url.full', `${origin}/REDACTED`);
  }
}

/** Paths that machines request every few seconds. */
const untracedPaths: readonly string[] = ['/livez', '/readyz', '/metrics'];

/** Drops library metrics: ours have the same values, with the pool's name instead of `unknown_host`. */
const views: ViewOptions[] = [
  { instrumentName: 'db.client.connection.*', aggregation: { type: AggregationType.DROP } },
];

/** The packages that the instrumentations below patch. */
const instrumented: readonly string[] = ['http', 'https', 'express', 'ioredis', 'pg', 'pg-pool'];

/** Starts the SDK with the instrumentations that our services need, none of which may record a payload. */
export function startTelemetry({ traces, metrics }: Signals, environment: NodeJS.ProcessEnv): NodeSDK {
  // Loader hooks patch packages that are imported, not required. Without the list, they would parse and wrap every module.
  // Those of `@opentelemetry/instrumentation/hook.mjs` run on another thread, for which each import would wait.
  register({ include: [...instrumented] });
  const stores = [
    // Records only the command's name: arguments of EVALSHA contain the payloads of jobs.
    new IORedisInstrumentation({ dbStatementSerializer: command => command }),
    // Statements have parameters and `enhancedDatabaseReporting` stays off, so no value is recorded.
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
        ignoreIncomingRequestHook: request => untracedPaths.includes(request.url ?? ''),
        // Peers are called with `fetch`. Requests with `node:http` go to hosts that recipients' domains name.
        disableOutgoingRequestInstrumentation: true,
        requestHook: (span, request) => {
          if (request instanceof IncomingMessage) {
            hideTarget(span, undefined);
          }
        },
      }),
      // Used only for the route, which it adds to the HTTP span: one span per request is enough.
      new ExpressInstrumentation({ ignoreLayersType: Object.values(ExpressLayerType) }),
      ...stores,
      new UndiciInstrumentation({
        // Requests that are not traced must be ignored: otherwise it counts them too, by host name.
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

/** Listens where the service does, unless configured otherwise. */
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
        // Requested metrics must not be silently missing.
        process.stderr.write(`Metrics cannot be served: ${error.message}\n`);
        process.exit(1);
      }
    },
  );
}

/**
 * Returns the service's name for telemetry: the name of the entry's package, without its scope. Undefined if the
 * environment sets the name, because the SDK reads it there, or if there is no package.
 */
function serviceNameOf(environment: NodeJS.ProcessEnv, entry: string | undefined): string | undefined {
  const isNamed =
    environment['OTEL_SERVICE_NAME'] || environment['OTEL_RESOURCE_ATTRIBUTES']?.includes('service.name=');
  return isNamed || entry === undefined ? undefined : packageNameAbove(dirname(entry));
}

function packageNameAbove(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string };
    if (name !== undefined) {
      return name.replace(/^@[^/]+\//, '');
    }
  } catch {
    // No package here; try the parent folder.
  }
  const above = dirname(folder);
  return above === folder ? undefined : packageNameAbove(above);
}

/** Prometheus's names of the units in use here. */
const unitNames: Readonly<Record<string, string>> = { s: 'seconds', ms: 'milliseconds', By: 'bytes' };

/**
 * Serves metrics to Prometheus under the same names as a collector: with their unit, as OpenTelemetry's compatibility
 * rules for Prometheus require. The library omits the unit, so every dashboard and alert would have to be written
 * twice.
 */
class PrometheusReader extends PrometheusExporter {
  override async collect(...options: Parameters<PrometheusExporter['collect']>): Promise<CollectionResult> {
    const { resourceMetrics, errors } = await super.collect(...options);
    const scopeMetrics = resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(withUnit),
    }));
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
  }
}

function withUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const isShare = unit === '1' && metric.dataPointType === DataPointType.GAUGE;
  const suffix = unitNames[unit] ?? (isShare ? 'ratio' : undefined);
  return suffix === undefined || name.split(/[._]/).includes(suffix)
    ? metric
    : { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${suffix}` } };
}
