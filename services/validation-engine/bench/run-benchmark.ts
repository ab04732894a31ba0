import type { ExpectedVerdict } from '@mailproof/mail-lab';
import { createProgressBar } from '../src/cli/validate/progress-bar.ts';
import { makeAddressList } from './address-list.ts';
import { type Measurement, measure, type Trial } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { nameOf } from './report.ts';

/**
 * Settings that give every prober the same caps. Limits that only the engine has, such as that on its pace, are lifted
 * here.
 */
const equalCaps: Readonly<Record<string, string>> = {
  VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000',
};

/**
 * Measures every prober at every latency, one after the other, since two concurrent ones would slow each other down.
 */
export async function* runBenchmark(
  options: BenchOptions,
  screen: NodeJS.WriteStream,
  signal: AbortSignal,
): AsyncGenerator<Measurement> {
  const size = { domains: options.domains, addresses: options.addresses, seed: options.seed };
  const conditions = {
    size,
    inFlightMax: options.inFlight,
    sessionsPerHostMax: options.sessionsPerHost,
    deadlineMs: options.deadlineMs,
    engineSettings: { ...equalCaps, ...options.engineSetting },
    nodeOptions: options.nodeOption,
  };
  for (const trial of trialsOf(options, makeAddressList(size))) {
    const startedAtMs = performance.now();
    const total = trial.addresses.length;
    let done = 0;
    screen.write(
      `${nameOf(trial.prober)}, ${total.toLocaleString('en')} addresses, ${trial.roundTripMs} ms …\n`,
    );
    const bar = createProgressBar(screen, () => ({
      done,
      total,
      elapsedMs: performance.now() - startedAtMs,
    }));
    try {
      yield await measure(trial, conditions, signal, count => {
        done = count;
      });
    } finally {
      bar.stop();
    }
  }
}

/** The plain prober comes last at each latency: it takes the longest. */
function trialsOf(options: BenchOptions, list: readonly ExpectedVerdict[]): Trial[] {
  const plainSample = options.plainSample ?? list.length;
  // The list is shuffled, so its beginning is a random sample.
  const sample = list.slice(0, plainSample);
  const hasPlain = options.probers.includes('plain');
  return options.roundTripMs.flatMap(roundTripMs =>
    options.probers.flatMap((prober): Trial[] => {
      if (prober === 'plain') {
        return [{ prober, roundTripMs, addresses: sample }];
      }
      const whole: Trial = { prober, roundTripMs, addresses: list };
      const needsSample = hasPlain && sample.length < list.length;
      return needsSample ? [whole, { ...whole, addresses: sample }] : [whole];
    }),
  );
}
