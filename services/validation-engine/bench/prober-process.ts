import type { ExpectedVerdict } from '@mailproof/mail-lab';
import { ConfigError } from '@mailproof/service-kit';
import { createEngineProber } from './engine-prober.ts';
import { createLoadMeter } from './load-meter.ts';
import type { ProberAnswer, ProberFigures, ProberOrder, ProberRequest } from './messages.ts';
import { createPlainProber } from './plain-prober.ts';
import type { Prober } from './prober.ts';

/** One prober in a process of its own, so that its peak memory is its own. */

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
// The end of the channel is the end of the benchmark, however its parent ended.
process.once('disconnect', () => process.exit());

function prepare(order: ProberOrder): void {
  try {
    prepared = { prober: createProber(order), inFlightMax: order.inFlightMax };
    tell({ type: 'prepared' });
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    // A setting that came from the command line; where in the code it was read helps nobody.
    process.stderr.write(error.message);
    process.exit(1);
  }
}

function createProber({ prober, settings, deadlineMs }: ProberOrder): Prober {
  return prober === 'plain'
    ? createPlainProber(settings, deadlineMs)
    : createEngineProber(settings, deadlineMs);
}

/** Offers all addresses in the order given, a bounded number at once, and compares what is said with what is true. */
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
    // All workers draw from the same iterator.
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
