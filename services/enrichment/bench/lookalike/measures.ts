import { seededRandom } from '../../src/domain/lookalike/seeded-random.ts';

const resamples = 2_000;

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

/** The share of relevant companies among the first ten. */
export function precisionAt10(isRelevant: readonly boolean[]): number {
  return isRelevant.slice(0, 10).filter(Boolean).length / 10;
}

/** Normalized discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002), with binary relevance. */
export function ndcgAt10(isRelevant: readonly boolean[], relevant: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const reached = isRelevant.slice(0, 10).reduce((sum, each, rank) => sum + (each ? gain(rank) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, relevant) }, (_, rank) => gain(rank));
  return ideal.length === 0 ? 0 : reached / ideal.reduce((sum, each) => sum + each, 0);
}

/** A mean difference of pairs with its 95% bootstrap interval, from resampled pairs (Efron 1979). */
export interface Difference {
  readonly mean: number;
  readonly from: number;
  readonly to: number;
}

export function pairedDifference(ours: readonly number[], theirs: readonly number[]): Difference {
  const differences = ours.map((each, at) => each - (theirs[at] ?? 0));
  const random = seededRandom(95);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < differences.length; drawn++) {
      sum += differences[Math.floor(random() * differences.length)] ?? 0;
    }
    return sum / differences.length;
  }).sort((a, b) => a - b);
  return {
    mean: mean(differences),
    from: means[Math.floor(resamples * 0.025)] ?? Number.NaN,
    to: means[Math.ceil(resamples * 0.975) - 1] ?? Number.NaN,
  };
}

/** The predictions in one band of strengths, and their outcomes. */
export interface ReliabilityBand {
  readonly from: number;
  readonly count: number;
  readonly strength: number;
  readonly relevantShare: number;
}

export interface Prediction {
  readonly strength: number;
  readonly isRelevant: boolean;
}

export function reliabilityOf(predictions: readonly Prediction[]): ReliabilityBand[] {
  const bands: Prediction[][] = Array.from({ length: 10 }, () => []);
  for (const prediction of predictions) {
    bands[Math.max(0, Math.min(9, Math.floor(prediction.strength * 10)))]?.push(prediction);
  }
  return bands.flatMap((members, at) =>
    members.length === 0
      ? []
      : [
          {
            from: at / 10,
            count: members.length,
            strength: mean(members.map(({ strength }) => strength)),
            relevantShare: mean(members.map(({ isRelevant }) => (isRelevant ? 1 : 0))),
          },
        ],
  );
}

/** Expected calibration error over ten bands of equal width (Naeini et al. 2015). */
export function calibrationError(predictions: readonly Prediction[]): number {
  return reliabilityOf(predictions).reduce(
    (sum, { count, strength, relevantShare }) =>
      sum + (count / predictions.length) * Math.abs(strength - relevantShare),
    0,
  );
}
