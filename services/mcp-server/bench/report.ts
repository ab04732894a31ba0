import { type Comparison, comparisonLines } from '@mailproof/dev-house/bench';
import { type BenchOptions, p50RatioMax, ratioMin } from './options.ts';

export const statusTool = 'svc_get_account_status';
export const bareServerName = 'bare SDK server';

/** A tool compared with one of its baselines. */
export interface NamedComparison extends Comparison {
  readonly name: string;
  readonly baseline: string;
}

/** Prints the medians and returns the exit code. */
export function report(
  options: BenchOptions,
  comparisons: readonly NamedComparison[],
  memoryMiB: number,
): number {
  const bounded = comparisons.find(
    ({ name, baseline }) => name === statusTool && baseline === bareServerName,
  );
  const ratio = bounded?.perSecondRatio ?? Number.NaN;
  const p50Ratio = bounded?.p50Ratio ?? Number.NaN;
  const isKept = ratio >= ratioMin && p50Ratio <= p50RatioMax;
  const bounds = { ratioMin, p50RatioMax };
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ options, comparisons, memoryMiB, ...bounds, isKept })}\n`
      : [
          `${options.connections} connections, medians of ${options.rounds} rounds of ${options.seconds} s`,
          ...comparisons.flatMap(each => comparisonLines(each.name, each.baseline, each)),
          `tool server after it all: ${memoryMiB.toFixed(0)} MiB resident`,
          `${isKept ? 'kept' : 'MISSED'}: ${statusTool} at least ${ratioMin} of the bare SDK server's requests a second (${ratio.toFixed(2)}), p50 at most ${p50RatioMax} times its p50 (${p50Ratio.toFixed(2)})`,
          '',
        ].join('\n'),
  );
  return isKept || !options.check ? 0 : 1;
}
