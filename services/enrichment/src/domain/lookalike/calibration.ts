import { fallingFit, fitRisingLine, lineAt, type RisingLine } from './isotonic.ts';
import { fitLogistic } from './logistic.ts';

/**
 * Maps scores of a ranking to probabilities. The same score means more for the thousandth candidate than for the first,
 * because the first ones were selected by score; so a probability depends on both score and rank.
 */
export interface StrengthCurve {
  /** The minimum number of seeds of a question to use this curve; it applies up to the next curve. */
  readonly seedsFrom: number;
  /** The intercept, then the weights of the score, of the logarithm of the share ranked before, and of its square. */
  readonly weights: readonly number[];
  readonly line: RisingLine;
}

export interface Calibration {
  readonly source: 'fitted' | 'shipped';
  /** In ascending order of `seedsFrom`; at least one. */
  readonly curves: readonly StrengthCurve[];
}

/** A ranked candidate with known relevance. */
export interface RankedPair {
  readonly score: number;
  /** The rank, from 0, divided by the number of ranked companies. */
  readonly share: number;
  readonly isRelevant: boolean;
  /** The number of candidates that it represents. */
  readonly weight: number;
}

/** Keeps the logarithm finite, and treats the first few of a hundred thousand candidates alike. */
const shareSpare = 0.001;
/** Candidates that people look at weigh more in the fit: a candidate at this share weighs half as much as the first. */
const shareHalf = 0.006;

const weighedMax = 50_000;

export function fitCurve(pairs: readonly RankedPair[], seedsFrom: number): StrengthCurve {
  const samples = pairs.map(pair => ({
    features: featuresOf(pair.score, pair.share),
    outcome: pair.isRelevant ? 1 : 0,
    weight: (pair.weight * shareHalf) / (shareHalf + pair.share),
  }));
  // Fitting three weights does not need a hundred thousand pairs; the isotonic line that follows uses all pairs.
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

/** Returns the probabilities of candidates in the order of their ranking; they never increase along it. */
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

/**
 * Used for stores in which too few companies have an industry. Fitted once to several thousand listed companies with
 * one-paragraph descriptions; in other stores strengths are in the right order, but less accurate than fitted ones.
 */
export const shippedCalibration: Calibration = {
  source: 'shipped',
  curves: [
    {
      seedsFrom: 1,
      weights: [-7.34, 5.37, -1.55, -0.17],
      line: {
        values: [
          -6.92, -5.03, -4.29, -2.63, -1.95, -1.31, -0.86, -0.45, -0.07, 0.21, 0.54, 0.83, 1.02, 1.33, 2.07,
        ],
        outcomes: [0.001, 0.007, 0.011, 0.07, 0.15, 0.22, 0.28, 0.38, 0.46, 0.55, 0.62, 0.75, 0.81, 0.91, 1],
      },
    },
    {
      seedsFrom: 2,
      weights: [-8.2, 6.91, -1.38, -0.13],
      line: {
        values: [
          -7.93, -4.63, -4.43, -2.61, -1.8, -1.42, -0.91, -0.33, 0.26, 0.56, 0.85, 1.24, 1.53, 1.92, 2.9,
        ],
        outcomes: [0, 0.009, 0.018, 0.08, 0.15, 0.21, 0.28, 0.41, 0.54, 0.61, 0.7, 0.77, 0.85, 0.92, 1],
      },
    },
    {
      seedsFrom: 4,
      weights: [-8.64, 7.12, -1.42, -0.12],
      line: {
        values: [-8.5, -5.52, -4.52, -2.78, -1.88, -1.43, -0.87, -0.46, 0, 0.39, 0.88, 1.24, 1.6, 2.08, 3.75],
        outcomes: [0, 0.004, 0.01, 0.08, 0.14, 0.21, 0.29, 0.36, 0.5, 0.56, 0.69, 0.76, 0.85, 0.95, 1],
      },
    },
  ],
};
