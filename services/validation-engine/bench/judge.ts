import type { Measurement } from './measure.ts';
import type { ProberId } from './messages.ts';

/** The engine's guarantees on this benchmark. */
export const bounds = {
  roundTripsPerAddressMax: 1.5,
  connectionsPerAddressMax: 0.1,
  timesPlainRateMin: 8,
  timesPlainProcessorMax: 1.7,
  memoryPeakMbMax: 300,
} as const;

/**
 * The busy share of the median second above which a prober's rate is that of its processor. The plain prober waits for
 * round trips, which take the same time on every machine, so a rate at such a share compares the machine, not the probers.
 */
export const processorBoundShare = 0.85;

/** A guarantee at one latency, and whether it was met. */
export interface Finding {
  readonly roundTripMs: number;
  readonly prober: ProberId;
  readonly promise: string;
  readonly measured: number;
  readonly bound: number;
  readonly kept: boolean;
}

const megabyte = 1_000_000;

/** Rates of one measurement, for comparison with the limits. */
export function ratesOf({ addresses, figures, lab }: Measurement) {
  return {
    addressesPerSecond: (addresses * 1_000) / figures.elapsedMs,
    connectionsPerAddress: lab.connections / addresses,
    roundTripsPerAddress: lab.roundTrips / addresses,
    memoryPeakMb: figures.memoryPeakBytes / megabyte,
    memoryAtStartMb: figures.memoryAtStartBytes / megabyte,
    processorMsPerAddress: figures.load.cpuMs / addresses,
  };
}

/** The ratio of the engine's rate to the plain prober's on the same list at the same latency. */
export function timesPlainRate(
  measurements: readonly Measurement[],
  engine: Measurement,
): number | undefined {
  const plain = plainOf(measurements, engine);
  return plain && plain.figures.elapsedMs / engine.figures.elapsedMs;
}

function plainOf(measurements: readonly Measurement[], engine: Measurement): Measurement | undefined {
  return measurements.find(
    ({ prober, roundTripMs, addresses }) =>
      prober === 'plain' && roundTripMs === engine.roundTripMs && addresses === engine.addresses,
  );
}

/** Checks the measurements against the guarantees, and each prober against the rules that make it comparable. */
export function judge(measurements: readonly Measurement[], sessionsPerHostMax: number): Finding[] {
  const largest = Math.max(0, ...measurements.map(({ addresses }) => addresses));
  return measurements.flatMap(measurement => [
    ...findingsOnRules(measurement, sessionsPerHostMax),
    // A sample is only for the ratio: its sessions have fewer recipients to share them.
    ...(measurement.prober !== 'plain' && measurement.addresses === largest
      ? findingsOnCost(measurement)
      : []),
    ...(measurement.prober === 'engine' ? findingsOnRate(measurements, measurement) : []),
  ]);
}

function findingsOnRules(measurement: Measurement, sessionsPerHostMax: number): Finding[] {
  const { figures, lab } = measurement;
  return [
    atMost(measurement, 'verdicts other than the catalog’s', figures.mismatches, 0),
    atMost(measurement, 'sessions at one host at once', lab.sessionsPeakMax, sessionsPerHostMax),
    atMost(measurement, 'complaints of the lab', lab.complaints, 0),
  ];
}

function findingsOnCost(measurement: Measurement): Finding[] {
  const { roundTripsPerAddress, connectionsPerAddress, memoryPeakMb } = ratesOf(measurement);
  return [
    atMost(measurement, 'round trips per address', roundTripsPerAddress, bounds.roundTripsPerAddressMax),
    atMost(measurement, 'connections per address', connectionsPerAddress, bounds.connectionsPerAddressMax),
    atMost(measurement, 'peak memory in MB', memoryPeakMb, bounds.memoryPeakMbMax),
  ];
}

/** The rate is judged unless the processor sets it; the processor time always is. */
function findingsOnRate(measurements: readonly Measurement[], measurement: Measurement): Finding[] {
  const plain = plainOf(measurements, measurement);
  const measured = timesPlainRate(measurements, measurement);
  if (plain === undefined || measured === undefined) {
    return [];
  }
  const { roundTripMs, prober, figures } = measurement;
  const bound = bounds.timesPlainRateMin;
  const timesPlainProcessor = figures.load.cpuMs / plain.figures.load.cpuMs;
  return [
    atMost(measurement, 'times the plain processor time', timesPlainProcessor, bounds.timesPlainProcessorMax),
    ...(figures.load.busyShare > processorBoundShare
      ? []
      : [{ roundTripMs, prober, promise: 'times the plain rate', measured, bound, kept: measured >= bound }]),
  ];
}

function atMost(
  { roundTripMs, prober }: Measurement,
  promise: string,
  measured: number,
  bound: number,
): Finding {
  return { roundTripMs, prober, promise, measured, bound, kept: measured <= bound };
}
