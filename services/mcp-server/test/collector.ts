import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The parts of a span that tests use. */
export interface Span {
  readonly traceId: string;
  readonly service: string;
  /** The library that created it, without the common prefix. */
  readonly library: string;
  readonly name: string;
  /** Whether the span is a request that the service received. */
  readonly isServed: boolean;
}

/** An OpenTelemetry collector on loopback that keeps everything it receives. */
export interface Collector {
  /** Settings that make a service send everything to this collector. */
  settings(service: string): Record<string, string>;
  /** Everything received, unchanged. */
  readonly received: readonly string[];
  spans(): Span[];
  close(): Promise<void>;
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly { traceId: string; name: string; kind: number }[];
    }[];
  }[];
}

/** `SPAN_KIND_SERVER` of OTLP. */
const server = 2;

export async function startCollector(): Promise<Collector> {
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    received.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>(resolve => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  return {
    settings: service => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: service,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      LOG_LEVEL: 'debug',
    }),
    received,
    spans: () => received.flatMap(spansOf),
    async close() {
      collector.closeAllConnections();
      await new Promise(resolve => collector.close(resolve));
    },
  };
}

function spansOf(line: string): Span[] {
  return ((JSON.parse(line) as ExportRequest).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ traceId, name, kind }) => ({
        traceId,
        service,
        library: scope.name.replace('@opentelemetry/instrumentation-', ''),
        name,
        isServed: kind === server,
      })),
    );
  });
}
