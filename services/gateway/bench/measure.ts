import autocannon from 'autocannon';

/** A request that is sent over and over. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  readonly apiKey: string;
  /** The address to validate; `GET` without one. */
  readonly email?: string;
}

export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends a request over and over, as many at once as there are connections. @throws when one was refused */
export async function measure(
  { url, apiKey, email }: Subject,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measurement> {
  const headers = { 'x-api-key': apiKey };
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    ...(email !== undefined && {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
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

/** The median of each figure over the rounds. */
export function medianOf(rounds: readonly Measurement[]): Measurement {
  const median = (pick: (round: Measurement) => number) => {
    const sorted = rounds.map(pick).sort((one, other) => one - other);
    const middle = Math.floor(sorted.length / 2);
    const upper = sorted[middle] ?? Number.NaN;
    return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  };
  return {
    perSecond: median(({ perSecond }) => perSecond),
    p50Ms: median(({ p50Ms }) => p50Ms),
    p99Ms: median(({ p99Ms }) => p99Ms),
  };
}
