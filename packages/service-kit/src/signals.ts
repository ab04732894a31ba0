import {
  type Attributes,
  context,
  metrics,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/**
 * Metrics are exported only if configured, as described in `docs/telemetry.md`. Attributes identify no one and come
 * from bounded lists: no account, address, domain or URL.
 */
const scope = 'mailproof';

/**
 * Creates a counter and returns a function that adds one, or a given number. The counter starts at zero for the given
 * attributes, so that the first occurrence shows as an increase.
 */
export function createCounter(
  name: string,
  description: string,
  beginsAt: readonly Attributes[] = [{}],
): (attributes?: Attributes, count?: number) => void {
  const counter = metrics.getMeter(scope).createCounter(name, { description });
  for (const attributes of beginsAt) {
    counter.add(0, attributes);
  }
  return (attributes, count = 1) => counter.add(count, attributes);
}

/** Creates a gauge and returns a function that sets its value. */
export function createGauge(
  name: string,
  description: string,
): (value: number, attributes?: Attributes) => void {
  const gauge = metrics.getMeter(scope).createGauge(name, { description });
  return (value, attributes) => gauge.record(value, attributes);
}

/** Creates a histogram of durations, in seconds, with the given bucket boundaries. */
export function createDurations(
  name: string,
  description: string,
  boundaries: readonly number[],
): (seconds: number, attributes?: Attributes) => void {
  const histogram = metrics.getMeter(scope).createHistogram(name, {
    description,
    unit: 's',
    advice: { explicitBucketBoundaries: [...boundaries] },
  });
  return (seconds, attributes) => histogram.record(seconds, attributes);
}

/** A gauge whose values are read when metrics are collected. */
interface ObservedGauge {
  readonly name: string;
  readonly description: string;
  /** A UCUM unit, such as `s` or `By`; absent for counts. */
  readonly unit?: string;
}

/** Values of gauges with their attributes, in the order of the gauges. */
export type Observed = readonly (readonly (readonly [value: number, attributes: Attributes])[])[];

/** How long a collection waits for observed values, in milliseconds; it omits values that arrive later. */
const observeMsMax = 2_000;

/** Observes gauges that are read together. Skips a reading that fails or is late. */
export function observeGauges(
  gauges: readonly ObservedGauge[],
  read: () => Observed | Promise<Observed>,
): { close(): void } {
  const meter = metrics.getMeter(scope);
  const observables = gauges.map(({ name, ...options }) => meter.createObservableGauge(name, options));
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = async result => {
    const values = await inTime(Promise.resolve().then(read));
    for (const [at, observable] of observables.entries()) {
      for (const [value, attributes] of values[at] ?? []) {
        result.observe(observable, value, attributes);
      }
    }
  };
  meter.addBatchObservableCallback(observe, observables);
  return { close: () => meter.removeBatchObservableCallback(observe, observables) };
}

/** Observes the resident memory of the process. */
export function observeMemory(): void {
  observeGauges(
    [{ name: 'process.memory.usage', description: 'Resident memory of the process.', unit: 'By' }],
    () => [[[process.memoryUsage.rss(), {}]]],
  );
}

async function inTime(reading: Promise<Observed>): Promise<Observed> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Observed>(resolve => {
    timer = setTimeout(resolve, observeMsMax, []);
  });
  try {
    return await Promise.race([reading.catch((): Observed => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The format of W3C Trace Context, section 3.2. */
const traceParentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Returns the W3C `traceparent` of the current trace, or null outside of traces. A row stores it, so that the work
 * which follows belongs to the same trace (ADR 0047).
 */
export function traceParent(): string | null {
  const span = trace.getSpanContext(context.active());
  return span && trace.isSpanContextValid(span)
    ? `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
    : null;
}

/** Links the current span to the trace in which a row was written, for another request's work on the same subject. */
export function linkTrace(parent: string | null | undefined): void {
  const linked = spanContextOf(parent);
  if (linked) {
    trace.getActiveSpan()?.addLink({ context: linked });
  }
}

/** Adds attributes to the current span; as in metrics, they identify no one. */
export function describeSpan(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Runs work in its own span. A failure is recorded by the error's name: its message may contain personal data. */
export function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return trace.getTracer('mailproof').startActiveSpan(name, async span => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: error instanceof Error ? error.name : 'unknown',
      });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs work as part of the trace in which a row was written. */
export function inTraceOf<Result>(parent: string | null, work: () => Promise<Result>): Promise<Result> {
  const remote = spanContextOf(parent);
  return remote ? context.with(trace.setSpanContext(context.active(), remote), work) : work();
}

function spanContextOf(parent: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceParentForm.exec(parent ?? '') ?? [];
  return traceId === undefined || spanId === undefined
    ? undefined
    : {
        traceId,
        spanId,
        traceFlags: Number.parseInt(flags ?? '0', 16) & TraceFlags.SAMPLED,
        isRemote: true,
      };
}
