import { markdownTable } from '@mailproof/dev-house/bench';
import { type Finding, processorBoundShare, ratesOf, timesPlainRate } from './judge.ts';
import type { Measurement } from './measure.ts';
import type { ProberId } from './messages.ts';
import type { BenchOptions } from './options.ts';

const names: Readonly<Record<ProberId, string>> = {
  engine: 'engine, no evidence asked',
  'engine-evidence': 'engine, default evidence',
  plain: 'plain prober',
};

export function nameOf(prober: ProberId): string {
  return names[prober];
}

/** The complete report for people. */
export function textOf(
  { domains, addresses, seed, inFlight, sessionsPerHost, nodeOption, engineSetting }: BenchOptions,
  measurements: readonly Measurement[],
  findings: readonly Finding[],
  failure: string | undefined,
): string {
  const list = `${addresses.toLocaleString('en')} addresses at ${domains} domains (seed ${seed})`;
  const departures = [
    ...nodeOption,
    ...Object.entries(engineSetting).map(([name, value]) => `${name}=${value}`),
  ];
  const parts = [
    ...(departures.length > 0 ? [`With ${departures.join(', ')}.`] : []),
    `${list}, ${inFlight.toLocaleString('en')} in flight, ${sessionsPerHost} sessions at a host at most.`,
    ...(measurements.length > 0
      ? [
          tableOf(measurements),
          verdictsOf(measurements),
          labLineOf(measurements),
          ...processorLinesOf(measurements),
          findingsTextOf(findings),
        ]
      : []),
    ...(failure === undefined ? [] : [failure]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The same for programs, on one line. */
export function jsonOf(
  options: BenchOptions,
  measurements: readonly Measurement[],
  findings: readonly Finding[],
  failure: string | undefined,
): string {
  const withRates = measurements.map(measurement => ({
    ...measurement,
    ...ratesOf(measurement),
    timesPlainRate: timesPlainRate(measurements, measurement),
  }));
  return `${JSON.stringify({ options, measurements: withRates, findings, failure })}\n`;
}

/** The busy share above which a lab may have slowed down the prober. */
const busyShareMax = 0.8;

/** One line per measurement, with one heading per latency. */
function tableOf(measurements: readonly Measurement[]): string {
  const latencies = [...new Set(measurements.map(({ roundTripMs }) => roundTripMs))];
  return latencies
    .flatMap(latency => {
      const rows = measurements.filter(({ roundTripMs }) => roundTripMs === latency);
      return [
        `${latency} ms of round-trip time`,
        markdownTable(
          heading,
          rows.map(row => cells(row, measurements)),
        ),
      ];
    })
    .join('\n\n');
}

const heading = [
  'prober',
  'addresses',
  'seconds',
  'addresses/s',
  '× plain',
  'CPU ms/addr.',
  'conn./addr.',
  'trips/addr.',
  'memory MB',
  'at start',
  'sessions max',
  'busy',
  'lab busy',
  'lab late ms',
  'DNS',
  'HTTPS',
];

function cells(measurement: Measurement, all: readonly Measurement[]): string[] {
  const { figures, lab, addresses, prober } = measurement;
  const rates = ratesOf(measurement);
  return [
    nameOf(prober),
    addresses.toLocaleString('en'),
    (figures.elapsedMs / 1_000).toFixed(1),
    rates.addressesPerSecond.toFixed(1),
    timesPlainRate(all, measurement)?.toFixed(2) ?? '–',
    rates.processorMsPerAddress.toFixed(2),
    rates.connectionsPerAddress.toFixed(3),
    rates.roundTripsPerAddress.toFixed(2),
    rates.memoryPeakMb.toFixed(0),
    rates.memoryAtStartMb.toFixed(0),
    String(lab.sessionsPeakMax),
    share(figures.load.busyShare),
    share(lab.load.busyShare),
    lab.load.delayP99Ms.toFixed(0),
    lab.dnsQueries.toLocaleString('en'),
    lab.webRequests.toLocaleString('en'),
  ];
}

/** The verdicts of each prober for comparison, and the mismatches. */
function verdictsOf(measurements: readonly Measurement[]): string {
  return measurements
    .flatMap(({ prober, roundTripMs, figures, lab }) => [
      `${nameOf(prober)}, ${roundTripMs} ms: ${mix(figures.results)}; ${figures.mismatches} other than the catalog’s.`,
      ...figures.firstMismatches.map(mismatch => `  ${mismatch}`),
      ...lab.firstComplaints.map(complaint => `  The lab complains: ${complaint}`),
    ])
    .join('\n');
}

/** States whether the probers may have waited for the lab. */
function labLineOf(measurements: readonly Measurement[]): string {
  const busiest = Math.max(0, ...measurements.map(({ lab }) => lab.load.busyShare));
  const carried = busiest <= busyShareMax;
  return carried
    ? `The lab was busy for ${share(busiest)} of the median second at most: it was not what the probers waited for.`
    : `The lab was busy for ${share(busiest)} of the median second: the highest rates may be the lab’s, not the prober’s.`;
}

/** States whose rate was set by the processor, and is not compared with the plain prober's. */
function processorLinesOf(measurements: readonly Measurement[]): string[] {
  return measurements
    .filter(({ prober, figures }) => prober === 'engine' && figures.load.busyShare > processorBoundShare)
    .map(
      ({ prober, roundTripMs, figures }) =>
        `${nameOf(prober)}, ${roundTripMs} ms: busy for ${share(figures.load.busyShare)} of the median second, so the processor set its rate; “× plain” is not checked, the processor time is.`,
    );
}

function findingsTextOf(findings: readonly Finding[]): string {
  const missed = findings.filter(({ kept }) => !kept);
  if (missed.length === 0) {
    return 'Every bound is kept.';
  }
  return missed
    .map(
      ({ roundTripMs, prober, promise, measured, bound }) =>
        `Missed at ${roundTripMs} ms, ${nameOf(prober)}: ${promise}: ${rounded(measured)} (bound: ${bound}).`,
    )
    .join('\n');
}

function mix(results: Readonly<Record<string, number>>): string {
  return Object.entries(results)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([result, count]) => `${count.toLocaleString('en')} ${result}`)
    .join(', ');
}

function share(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}

function rounded(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
