import { type Attributes, metrics } from '@opentelemetry/api';

/** Metrics go where traces go, and nowhere without `OTEL_EXPORTER_OTLP_ENDPOINT`. Attributes name nobody. */
const scope = 'mailproof';

/** Counts what happens; the function counts one more, or so many. */
export function createCounter(
  name: string,
  description: string,
): (attributes?: Attributes, count?: number) => void {
  const counter = metrics.getMeter(scope).createCounter(name, { description });
  return (attributes, count = 1) => counter.add(count, attributes);
}

/** Shows how things stand; the function tells the newest value. */
export function createGauge(
  name: string,
  description: string,
): (value: number, attributes?: Attributes) => void {
  const gauge = metrics.getMeter(scope).createGauge(name, { description });
  return (value, attributes) => gauge.record(value, attributes);
}
