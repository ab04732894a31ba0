import { median } from './figures.ts';

/** A request to send repeatedly. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON body to post; without it, the request is a `GET`. */
  readonly body?: unknown;
}

export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends a request repeatedly, one at a time per connection. @throws if any request fails */
export async function measure(
  { url, headers, body }: Subject,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measurement> {
  const { default: autocannon } = await import('autocannon');
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    ...(body !== undefined && {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const refused = result.non2xx + result.errors + result.timeouts;
  if (refused > 0 || result['2xx'] === 0) {
    throw new Error(`${refused} of ${result.requests.total} requests to ${url} failed.`);
  }
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}

/** Both sides, measured one after the other. */
export interface Round {
  readonly ours: Measurement;
  readonly theirs: Measurement;
}

export interface Comparison extends Round {
  readonly perSecondRatio: number;
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

/** Returns the median over all rounds of each figure and of each ratio. */
export function comparisonOf(rounds: readonly Round[]): Comparison {
  return {
    ours: medianOf(rounds.map(({ ours }) => ours)),
    theirs: medianOf(rounds.map(({ theirs }) => theirs)),
    perSecondRatio: median(rounds.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond)),
    p50Ratio: median(rounds.map(({ ours, theirs }) => ours.p50Ms / theirs.p50Ms)),
    p99Ratio: median(rounds.map(({ ours, theirs }) => ours.p99Ms / theirs.p99Ms)),
  };
}

function medianOf(measurements: readonly Measurement[]): Measurement {
  return {
    perSecond: median(measurements.map(({ perSecond }) => perSecond)),
    p50Ms: median(measurements.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(measurements.map(({ p99Ms }) => p99Ms)),
  };
}

/** Formats both sides and their ratios as lines to read. */
export function comparisonLines(name: string, baseline: string, comparison: Comparison): string[] {
  const { ours, theirs, perSecondRatio, p50Ratio, p99Ratio } = comparison;
  const [perSecond, p50, p99] = [perSecondRatio, p50Ratio, p99Ratio].map(ratio => ratio.toFixed(2));
  return [
    lineOf(name, ours),
    lineOf(`  ${baseline}`, theirs),
    `  ratio, round by round: ${perSecond} of its requests a second, ${p50} of its p50, ${p99} of its p99`,
  ];
}

function lineOf(name: string, { perSecond, p50Ms, p99Ms }: Measurement): string {
  return `${name.padEnd(24)}${perSecond.toFixed(0).padStart(7)}/s  p50 ${p50Ms.toFixed(0).padStart(4)} ms  p99 ${p99Ms.toFixed(0).padStart(4)} ms`;
}
