import { weigh } from '../weigh.ts';
import type { Weights } from '../weights.ts';
import type { Labeled } from './labeled.ts';

export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly meanPosterior: number;
  /** The share of mailboxes that turned out to exist. */
  readonly observedShare: number;
}

/** How reliable the posteriors are. */
export interface Reliability {
  readonly count: number;
  /** Mean squared distance between posterior and truth (Brier 1950): 0 is perfect, always answering ½ scores 0.25. */
  readonly brierScore: number;
  /** Only the bins that contain an address. */
  readonly bins: readonly ReliabilityBin[];
}

/** The edges of the bins, which are finer where verdicts are decided. */
const edges = [0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1] as const;

/** Compares posteriors with what turned out to be true. */
export function measureReliability(judged: readonly Judged[]): Reliability {
  const bins = edges.slice(0, -1).flatMap((from, index) => {
    const to = edges[index + 1] ?? 1;
    const members = judged.filter(({ posterior }) => posterior >= from && (posterior < to || to === 1));
    return members.length === 0
      ? []
      : [
          {
            from,
            to,
            count: members.length,
            meanPosterior: meanOf(members.map(({ posterior }) => posterior)),
            observedShare: meanOf(members.map(({ exists }) => Number(exists))),
          },
        ];
  });
  const brierScore = meanOf(judged.map(({ posterior, exists }) => (posterior - Number(exists)) ** 2));
  return { count: judged.length, brierScore, bins };
}

export interface Judged {
  readonly posterior: number;
  readonly exists: boolean;
}

/** How far the posteriors of a group of addresses are right on average. */
export interface Calibration {
  readonly group: string;
  readonly count: number;
  readonly meanPosterior: number;
  readonly observedShare: number;
  readonly brierScore: number;
}

/** Compares posteriors with the truth for each group, the largest first. */
export function calibrationBy(judged: readonly (Judged & { readonly group: string })[]): Calibration[] {
  return [...Map.groupBy(judged, ({ group }) => group)]
    .map(([group, of]) => ({
      group,
      count: of.length,
      meanPosterior: meanOf(of.map(({ posterior }) => posterior)),
      observedShare: meanOf(of.map(({ exists }) => Number(exists))),
      brierScore: meanOf(of.map(({ posterior, exists }) => (posterior - Number(exists)) ** 2)),
    }))
    .sort((one, other) => other.count - one.count || (one.group < other.group ? -1 : 1));
}

/** The mail provider of a labeled address, from its findings; `unknown` for a finding of an earlier release. */
export function providerOf({ observations }: Labeled): string {
  return observations.findLast(({ source }) => source === 'mail_provider')?.finding ?? 'unknown';
}

/** Calculates the posteriors of labeled addresses with the given weights. */
export function judgeAll(labeled: readonly Labeled[], weights: Weights): Judged[] {
  return labeled.map(({ observations, exists }) => ({
    posterior: weigh(observations, weights, weights.prior).posterior,
    exists,
  }));
}

function meanOf(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Formats the reliability as a table for people to read. */
export function formatReliability({ count, brierScore, bins }: Reliability): string {
  const rows = bins.map(bin =>
    [
      `${bin.from.toFixed(2)}–${bin.to.toFixed(2)}`,
      String(bin.count).padStart(9),
      bin.meanPosterior.toFixed(3).padStart(14),
      bin.observedShare.toFixed(3).padStart(14),
    ].join('  '),
  );
  return [
    'posterior  addresses  mean posterior  observed share',
    ...rows,
    `Brier score ${brierScore.toFixed(4)} over ${count} addresses.`,
  ].join('\n');
}

/** Formats calibrations as a table for people to read. */
export function formatCalibration(calibrations: readonly Calibration[]): string {
  return [
    `${'mail provider'.padEnd(24)}addresses  mean posterior  observed share   Brier`,
    ...calibrations.map(({ group, count, meanPosterior, observedShare, brierScore }) =>
      [
        group.padEnd(24),
        String(count).padStart(9),
        meanPosterior.toFixed(3).padStart(16),
        observedShare.toFixed(3).padStart(16),
        brierScore.toFixed(4).padStart(8),
      ].join(''),
    ),
  ].join('\n');
}
