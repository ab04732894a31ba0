import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeLabeledSnapshots } from '../../compose/store.ts';
import { loadOperatorConfig } from '../../config.ts';
import { fitWeights, splitByDomain } from '../../domain/catch-all/fit/fit-weights.ts';
import type { Labeled } from '../../domain/catch-all/fit/labeled.ts';
import {
  type Calibration,
  calibrationBy,
  formatCalibration,
  formatReliability,
  type Judged,
  judgeAll,
  measureReliability,
  providerOf,
  type Reliability,
} from '../../domain/catch-all/fit/reliability.ts';
import { weights as builtIn, type Weights } from '../../domain/catch-all/weights.ts';
import { exitCodes, type Terminal, UsageError, write } from '../terminal.ts';
import { readLabeled } from './labeled-file.ts';

export interface FitOptions {
  readonly from?: string;
  /** A path, or true for the built-in file. */
  readonly write?: string | true;
  readonly json?: true;
}

/** The minimum of labeled addresses; fewer say too little about the quality of weights. */
const labeledMin = 100;
const builtInFile = fileURLToPath(new URL('../../domain/catch-all/weights.json', import.meta.url));

/** Fits weights on labeled addresses, and compares them with the previous ones on other domains. */
export async function runFit(options: FitOptions, terminal: Terminal): Promise<number> {
  const labeled = await readAll(options, terminal);
  const { training, heldOut } = splitByDomain(labeled);
  if (training.length < labeledMin || heldOut.length === 0) {
    const counts = `${training.length} for fitting and ${heldOut.length} for testing`;
    await write(
      terminal.stderr,
      `Too few addresses with known outcomes: ${counts}; at least ${labeledMin} plus some for testing are required.\n`,
    );
    return exitCodes.bad;
  }
  const fitted = named(fitWeights(training, builtIn, 'fitted'));
  const before = measureReliability(judgeAll(heldOut, builtIn));
  const after = measureReliability(judgeAll(heldOut, fitted));
  const byProvider = calibrationsBy(heldOut, fitted);
  const report = {
    trainedOn: training.length,
    heldOut: heldOut.length,
    before,
    after,
    byProvider,
    weights: fitted,
  };
  await write(terminal.stdout, options.json ? `${JSON.stringify(report)}\n` : describe(report));
  if (options.write !== undefined) {
    const file = options.write === true ? builtInFile : resolve(terminal.workingDirectory, options.write);
    await writeFile(file, `${JSON.stringify(fitted, null, 2)}\n`);
    await write(terminal.stderr, `Weights ${fitted.version} written to ${file}.\n`);
  }
  // A script must not roll out worse weights.
  return after.brierScore <= before.brierScore ? exitCodes.good : exitCodes.bad;
}

async function readAll({ from }: FitOptions, terminal: Terminal): Promise<readonly Labeled[]> {
  if (from === undefined) {
    const snapshots = composeLabeledSnapshots(loadOperatorConfig(terminal.environment));
    try {
      return await snapshots.labeled();
    } finally {
      await snapshots.close();
    }
  }
  const format = { '.csv': 'csv', '.jsonl': 'jsonl', '.ndjson': 'jsonl' }[extname(from).toLowerCase()];
  if (format !== 'csv' && format !== 'jsonl') {
    throw new UsageError('--from requires a .csv or .jsonl file.');
  }
  try {
    return await readLabeled(createReadStream(resolve(terminal.workingDirectory, from)), format);
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Only the providers with the most addresses: others say little. */
const providersMax = 20;

function calibrationsBy(labeled: readonly Labeled[], weights: Weights): Calibration[] {
  const judged = judgeAll(labeled, weights);
  return calibrationBy(
    labeled.map((address, index) => ({ ...(judged[index] as Judged), group: providerOf(address) })),
  ).slice(0, providersMax);
}

/** Equal weights get the same name, so that a verdict's `weights_version` identifies exactly the weights behind it. */
function named(fitted: Weights): Weights {
  const digest = createHash('sha256').update(JSON.stringify(fitted)).digest('hex').slice(0, 12);
  return { ...fitted, version: `fitted-${digest}` };
}

interface Report {
  readonly trainedOn: number;
  readonly before: Reliability;
  readonly after: Reliability;
  /** With the fitted weights. */
  readonly byProvider: readonly Calibration[];
  readonly weights: Weights;
}

function describe({ trainedOn, before, after, byProvider, weights }: Report): string {
  const rows = Object.entries(weights.sources).flatMap(([source, { llr }]) =>
    Object.entries(llr).flatMap(([finding, fitted]) => {
      const starting = startingLlr(source, finding);
      // Providers start at 0 and are listed once they differ.
      return starting === 0 && fitted === 0
        ? []
        : [`${`${source} ${finding}`.padEnd(36)}${signed(starting)}  ${signed(fitted)}`];
    }),
  );
  return [
    `Fitted on ${trainedOn} addresses, tested on ${after.count} addresses of other domains.`,
    '',
    `${'weight'.padEnd(36)}before   after`,
    `${'prior'.padEnd(36)}${builtIn.prior.toFixed(2).padStart(6)}  ${weights.prior.toFixed(2).padStart(6)}`,
    ...rows,
    '',
    'Before',
    formatReliability(before),
    '',
    'After',
    formatReliability(after),
    '',
    'After, by mail provider',
    formatCalibration(byProvider),
    '',
  ].join('\n');
}

function startingLlr(source: string, finding: string): number {
  const sources: Readonly<Record<string, { readonly llr: Readonly<Record<string, number>> }>> =
    builtIn.sources;
  return sources[source]?.llr[finding] ?? 0;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(2)}`.padStart(6);
}
