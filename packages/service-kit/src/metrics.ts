import { type Attributes, metrics } from '@opentelemetry/api';

/**
 * Metrics go where `docs/telemetry.md` says, and nowhere by themselves. Attributes name nobody and come from bounded
 * lists: no account, address, domain or URL.
 */
const scope = 'mailproof';

/**
 * Counts what happens; the function counts one more, or so many. It begins at nothing with the attributes given, so that
 * the first occurrence is seen as a rise.
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

/** Shows how things stand; the function tells the newest value. */
export function createGauge(
  name: string,
  description: string,
): (value: number, attributes?: Attributes) => void {
  const gauge = metrics.getMeter(scope).createGauge(name, { description });
  return (value, attributes) => gauge.record(value, attributes);
}

/** Tells how long things take, in seconds; `boundaries` are those of its buckets. */
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

/** A gauge that is asked for its values when metrics are collected. */
export interface ObservedGauge {
  readonly name: string;
  readonly description: string;
  /** After UCUM, as in `s` and `By`; absent for things that are counted. */
  readonly unit?: string;
}

/** Values of gauges with their attributes, in the order of the gauges. */
export type Observed = readonly (readonly (readonly [value: number, attributes: Attributes])[])[];

/** A collection waits so long for what is observed, in milliseconds; then the values are missing from it. */
const observeMsMax = 2_000;

/** Observes gauges that are read together. A reading that fails or comes late is left out. */
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

/** Observes how much memory the process takes from the machine. */
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
