import { quantile } from '@mailproof/dev-house/bench';
import { type Times, type Way, ways } from './measure-single.ts';

/** Limit on the ratio of an answer over REST to the bare dialogue, at the median. */
export const singleRatioMax = 3;
/**
 * The limit applies to hosts with at least this round-trip time in milliseconds: another machine in the same data
 * center. On loopback a dialogue takes less time than the hops between our own processes.
 */
export const boundFromMs = 1;

interface Spread {
  readonly p50Ms: number;
  readonly p90Ms: number;
}

/** Single answers at one latency. */
export interface SingleMeasurement {
  readonly roundTripMs: number;
  readonly spreads: Readonly<Record<Way, Spread>>;
  /** The ratio of each median to that of the bare dialogue. */
  readonly ratios: Readonly<Record<Way, number>>;
}

const names: Readonly<Record<Way, string>> = {
  bare: 'bare SMTP dialogue',
  engine: 'engine alone',
  rest: 'over REST',
};

export function singleOf(roundTripMs: number, times: Times): SingleMeasurement {
  const spreads = { bare: spreadOf(times.bare), engine: spreadOf(times.engine), rest: spreadOf(times.rest) };
  const ratioOf = (way: Way) => spreads[way].p50Ms / spreads.bare.p50Ms;
  return { roundTripMs, spreads, ratios: { bare: 1, engine: ratioOf('engine'), rest: ratioOf('rest') } };
}

export function isMissed({ roundTripMs, ratios }: SingleMeasurement): boolean {
  return roundTripMs >= boundFromMs && ratios.rest > singleRatioMax;
}

export function singleText(measurements: readonly SingleMeasurement[]): string {
  const parts = measurements.map(measurement => {
    const { roundTripMs, spreads, ratios } = measurement;
    const lines = ways.map(way => {
      const { p50Ms, p90Ms } = spreads[way];
      const figures = [`p50 ${p50Ms.toFixed(1)} ms`, `p90 ${p90Ms.toFixed(1)} ms`];
      return `${names[way].padEnd(20)}${figures.join('  ')}  ${ratios[way].toFixed(2)} × bare`;
    });
    return [
      `${roundTripMs} ms of round-trip time, one address at a time`,
      ...lines,
      findingOf(measurement),
    ].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

function findingOf(measurement: SingleMeasurement): string {
  if (measurement.roundTripMs < boundFromMs) {
    return `No bound below ${boundFromMs} ms: the hops between our own processes outweigh such a dialogue.`;
  }
  return `${isMissed(measurement) ? 'Missed' : 'Kept'}: over REST at most ${singleRatioMax} × the bare dialogue.`;
}

function spreadOf(timesMs: readonly number[]): Spread {
  return { p50Ms: quantile(timesMs, 0.5), p90Ms: quantile(timesMs, 0.9) };
}
