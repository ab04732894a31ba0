import { Matrix, solve } from 'ml-matrix';

const stepsMax = 30;
const ridge = 1e-3;

/** An observation: its features and outcome. */
export interface LogisticSample {
  readonly features: readonly number[];
  readonly outcome: number;
  readonly weight: number;
}

/** Fits a weighted logistic regression by Newton's method; returns the intercept, then a weight for each feature. */
export function fitLogistic(samples: readonly LogisticSample[], featureCount: number): number[] {
  const scales = scalesOf(samples, featureCount);
  const width = featureCount + 1;
  const rows = samples.map(({ features }) =>
    Float64Array.of(1, ...features.map((value, at) => scaled(value, scales[at]))),
  );
  let weights = new Array<number>(width).fill(0);
  for (let step = 0; step < stepsMax; step++) {
    const move = newtonStep(samples, rows, weights);
    weights = weights.map((weight, at) => weight + (move[at] ?? 0));
    if (move.every(part => Math.abs(part) < 1e-6)) {
      break;
    }
  }
  return unscaled(weights, scales);
}

function newtonStep(
  samples: readonly LogisticSample[],
  rows: readonly Float64Array[],
  weights: readonly number[],
): number[] {
  const width = weights.length;
  const gradient = weights.map(weight => -ridge * weight);
  const curvature = weights.map((_, at) => weights.map((_, other) => (at === other ? ridge : 0)));
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as Float64Array;
    const { outcome, weight } = samples[index] as LogisticSample;
    const chance = logistic(weights.reduce((sum, each, at) => sum + each * (row[at] as number), 0));
    const bend = weight * chance * (1 - chance);
    for (let i = 0; i < width; i++) {
      const left = row[i] as number;
      const line = curvature[i] as number[];
      gradient[i] = (gradient[i] as number) + weight * (outcome - chance) * left;
      for (let j = 0; j < width; j++) {
        line[j] = (line[j] as number) + bend * left * (row[j] as number);
      }
    }
  }
  return solve(new Matrix(curvature), Matrix.columnVector(gradient)).to1DArray();
}

interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

function scaled(value: number, scale: Scale | undefined): number {
  return scale === undefined ? value : (value - scale.mean) / scale.deviation;
}

function scalesOf(samples: readonly LogisticSample[], featureCount: number): Scale[] {
  return Array.from({ length: featureCount }, (_, at) => {
    const mean = samples.reduce((sum, { features }) => sum + (features[at] ?? 0), 0) / samples.length;
    const squares = samples.reduce((sum, { features }) => sum + ((features[at] ?? 0) - mean) ** 2, 0);
    return { mean, deviation: Math.sqrt(squares / samples.length) || 1 };
  });
}

function unscaled([intercept = 0, ...weights]: readonly number[], scales: readonly Scale[]): number[] {
  const plain = weights.map((weight, at) => weight / (scales[at]?.deviation ?? 1));
  const shift = plain.reduce((sum, weight, at) => sum + weight * (scales[at]?.mean ?? 0), 0);
  return [intercept - shift, ...plain];
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-Math.max(-30, Math.min(30, value))));
}
