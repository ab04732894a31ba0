import type { ExpectedVerdict } from '@mailproof/mail-lab';
import { ConfigError } from '@mailproof/service-kit';
import { createEngineProber } from './engine-prober.ts';
import { createLoadMeter } from './load-meter.ts';
import type { ProberAnswer, ProberFigures, ProberOrder, ProberRequest } from './messages.ts';
import { createPlainProber } from './plain-prober.ts';
import type { Prober } from './prober.ts';

/** Runs one prober in its own process, so that the peak memory is that of the prober alone. */

const progressMs = 200;
const mismatchesShownMax = 10;

const meter = createLoadMeter();
let prepared: { readonly prober: Prober; readonly inFlightMax: number } | undefined;

process.on('message', async (request: ProberRequest) => {
  if (request.type === 'prepare') {
    prepare(request);
  } else if (prepared) {
    tell({ type: 'done', figures: await run(prepared.prober, prepared.inFlightMax, request.addresses) });
  }
});
// The closed channel ends the benchmark, however its parent ended.
process.once('disconnect', () => process.exit());

function prepare(order: ProberOrder): void {
  try {
    prepared = { prober: createProber(order), inFlightMax: order.inFlightMax };
    tell({ type: 'prepared' });
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    // The setting came from the command line, so a stack trace would not help.
    process.stderr.write(error.message);
    process.exit(1);
  }
}

function createProber({ prober, settings, deadlineMs }: ProberOrder): Prober {
  return prober === 'plain'
    ? createPlainProber(settings, deadlineMs)
    : createEngineProber(settings, deadlineMs);
}

/** Offers all addresses in the given order, a limited number at once, and compares the results with the truth. */
async function run(
  prober: Prober,
  inFlightMax: number,
  addresses: readonly ExpectedVerdict[],
): Promise<ProberFigures> {
  const results: Record<string, number> = {};
  const mismatches: string[] = [];
  let done = 0;
  const progress = setInterval(() => tell({ type: 'progress', done }), progressMs);
  const queue = addresses.values();
  async function work(): Promise<void> {
    // All workers take from the same iterator.
    for (const { address, result, reason } of queue) {
      const said = await prober.probe(address);
      results[said.result] = (results[said.result] ?? 0) + 1;
      if (said.result !== result || (said.reason !== undefined && said.reason !== reason)) {
        mismatches.push(
          `${address} is ${result} ${reason}, not ${said.result} ${said.reason ?? ''}`.trimEnd(),
        );
      }
      done += 1;
    }
  }
  const memoryAtStartBytes = process.memoryUsage.rss();
  meter.restart();
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: inFlightMax }, work));
  const elapsedMs = performance.now() - startedAtMs;
  const load = meter.read();
  clearInterval(progress);
  await prober.close();
  return {
    elapsedMs,
    results,
    mismatches: mismatches.length,
    firstMismatches: mismatches.slice(0, mismatchesShownMax),
    memoryPeakBytes: process.resourceUsage().maxRSS * 1_024,
    memoryAtStartBytes,
    load,
  };
}

function tell(answer: ProberAnswer): void {
  process.send?.(answer);
}
