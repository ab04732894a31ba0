import autocannon from 'autocannon';

/** A request that is sent over and over. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON body to post; `GET` without one. */
  readonly body?: unknown;
}

export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends a request over and over, as many at once as there are connections. @throws when one was refused */
export async function measure(
  { url, headers, body }: Subject,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measurement> {
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

/** The median of each figure and of the ratios, each of which is that of one round. */
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

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
