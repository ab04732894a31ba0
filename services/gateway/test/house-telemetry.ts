import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { House } from '@mailproof/dev-house';
import type { Answer } from './house.ts';
import { until } from './until.ts';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent at the root of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly service: string;
  /** Traces that the span links to. */
  readonly linksTo: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes?: readonly Attribute[];
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** An OpenTelemetry collector on loopback that stores everything it receives. */
export interface Collector {
  /** Settings with which a service sends it everything, including its log. */
  settings(service: string): Record<string, string>;
  spans(): Span[];
  /** Spans and metrics as they were sent. */
  received(): string;
  /**
   * All spans and logs of the house, once both contain the given request ids, operations or log messages, which are
   * written shortly after the answer.
   */
  everythingOf(house: House, ...named: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      received.push(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const spans = () => received.flatMap(spansOf);
  return {
    settings: service => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: service,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      LOG_LEVEL: 'trace',
    }),
    spans,
    received: () => received.join('\n'),
    async everythingOf(house, ...named) {
      let logs = '';
      const missing = async () => {
        logs = await logsOf(house);
        const traces = [...new Set(spans().map(({ traceId }) => traceId))];
        const traced = logs.split('\n').filter(line => traces.some(traceId => line.includes(traceId)));
        return named.filter(each => !traced.some(line => line.includes(each)));
      };
      await until('the telemetry of everything named', missing, names => names.length === 0);
      return [...received, logs].join('\n');
    },
    async stop() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** The logs of all services. */
export async function logsOf(house: House): Promise<string> {
  const files = Object.values(house.services).map(({ logFile }) => logFile);
  return (await Promise.all(files.map(file => readFile(file, 'utf8')))).join('\n');
}

/** The id of a request in the log. */
export const idOf = ({ headers }: Answer): string => String(headers.get('x-request-id'));

function spanOf({ links = [], attributes = [], ...sent }: SentSpan, service: string): Span {
  return {
    ...sent,
    service,
    linksTo: links.map(({ traceId }) => traceId),
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
    ),
  };
}

function spansOf(exported: string): Span[] {
  return ((JSON.parse(exported) as ExportRequest).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(scope => scope.spans.map(sent => spanOf(sent, service)));
  });
}
