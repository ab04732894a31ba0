import { fallingFit, fitRisingLine, lineAt, type RisingLine } from './isotonic.ts';
import { fitLogistic } from './logistic.ts';

/**
 * Turns scores of a ranking into chances. One score says more of the thousandth candidate than of the first, because
 * the first ones were picked for theirs; so a chance is read from score and rank together.
 */
export interface StrengthCurve {
  /** It holds for questions with so many seeds and more, up to the next curve. */
  readonly seedsFrom: number;
  /** Intercept, then weights of the score, of the logarithm of the share ranked before, and of its square. */
  readonly weights: readonly number[];
  readonly line: RisingLine;
}

export interface Calibration {
  readonly source: 'fitted' | 'shipped';
  /** By `seedsFrom`, rising; at least one. */
  readonly curves: readonly StrengthCurve[];
}

/** A candidate of a ranking whose relevance is known. */
export interface RankedPair {
  readonly score: number;
  /** Rank from 0 by the number of ranked companies. */
  readonly share: number;
  readonly isRelevant: boolean;
  /** How many candidates it speaks for. */
  readonly weight: number;
}

/** Keeps the logarithm finite, and the first few of a hundred thousand alike. */
const shareSpare = 0.001;
/** What people look at counts more in the fit: a candidate at this share counts half as much as the first. */
const shareHalf = 0.006;

const weighedMax = 50_000;

export function fitCurve(pairs: readonly RankedPair[], seedsFrom: number): StrengthCurve {
  const samples = pairs.map(pair => ({
    features: featuresOf(pair.score, pair.share),
    outcome: pair.isRelevant ? 1 : 0,
    weight: (pair.weight * shareHalf) / (shareHalf + pair.share),
  }));
  // Three weights need no hundred thousand pairs; the line that follows takes all.
  const step = Math.ceil(samples.length / weighedMax);
  const weights = fitLogistic(
    samples.filter((_, at) => at % step === 0),
    3,
  );
  const line = fitRisingLine(
    samples.map(({ features, outcome, weight }) => ({ value: weighed(features, weights), outcome, weight })),
  );
  return { seedsFrom, weights, line };
}

/** The chances of candidates in the order of their ranking; they never rise along it. */
export function strengthsOf(
  curve: StrengthCurve,
  scores: ArrayLike<number>,
  companies: number,
): Float64Array {
  const chances = new Float64Array(scores.length);
  for (let rank = 0; rank < scores.length; rank++) {
    const features = featuresOf(scores[rank] as number, rank / companies);
    chances[rank] = lineAt(curve.line, weighed(features, curve.weights));
  }
  return fallingFit(chances);
}

export function curveFor(calibration: Calibration, seeds: number): StrengthCurve {
  const curve = calibration.curves.findLast(({ seedsFrom }) => seeds >= seedsFrom) ?? calibration.curves[0];
  if (curve === undefined) {
    throw new RangeError('A calibration needs at least one curve.');
  }
  return curve;
}

function featuresOf(score: number, share: number): [number, number, number] {
  const depth = Math.log(share + shareSpare);
  return [score, depth, depth * depth];
}

function weighed(features: readonly number[], weights: readonly number[]): number {
  return features.reduce((sum, feature, at) => sum + feature * (weights[at + 1] ?? 0), weights[0] ?? 0);
}
