import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Calibration,
  curveFor,
  fitCurve,
  type RankedPair,
  shippedCalibration,
  strengthsOf,
} from './calibration.ts';
import { fallingFit, fitRisingLine, lineAt } from './isotonic.ts';
import { seededRandom } from './seeded-random.ts';

const finite = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('the rising line', () => {
  const observation = fc.record({
    value: finite(-5, 5),
    outcome: fc.constantFrom(0, 1),
    weight: finite(0.1, 10),
  });

  it('rises, stays between the outcomes, and keeps their weighted mean', () => {
    fc.assert(
      fc.property(fc.array(observation, { minLength: 1, maxLength: 200 }), observations => {
        const line = fitRisingLine(observations);
        for (let at = 1; at < line.outcomes.length; at++) {
          expect(line.outcomes[at] ?? 0).toBeGreaterThan(line.outcomes[at - 1] ?? 1);
        }
        for (const outcome of line.outcomes) {
          expect(outcome).toBeGreaterThanOrEqual(0);
          expect(outcome).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  /** Regression: a rounding error made their line fall. */
  const betweenTinyValues = [
    { value: 0, outcome: 0, weight: 0.1 },
    { value: -4.820106402237966e-307, outcome: 1, weight: 0.33731478867355763 },
    { value: -5e-324, outcome: 1, weight: 3.862493271385615 },
    { value: -1e-323, outcome: 0, weight: 0.6348158345936508 },
  ];

  it('never falls from one value to a larger one', () => {
    fc.assert(
      fc.property(
        fc.array(observation, { minLength: 1 }),
        finite(-9, 9),
        finite(0, 9),
        (observations, value, more) => {
          const line = fitRisingLine(observations);
          expect(lineAt(line, value + more)).toBeGreaterThanOrEqual(lineAt(line, value));
        },
      ),
      { examples: [[betweenTinyValues, -1e-323, 5e-324]] },
    );
  });
});

describe('the falling fit', () => {
  it('falls, and keeps the sum', () => {
    fc.assert(
      fc.property(fc.array(finite(0, 1), { maxLength: 100 }), numbers => {
        const fitted = [...fallingFit(numbers)];
        expect(fitted).toEqual([...fitted].sort((a, b) => b - a));
        const sum = (list: number[]) => list.reduce((all, each) => all + each, 0);
        expect(sum(fitted)).toBeCloseTo(sum(numbers), 9);
      }),
    );
  });
});

describe('strengths', () => {
  it('come near to chances that are known', () => {
    const random = seededRandom(4);
    const chanceAt = (score: number) => 1 / (1 + Math.exp(4 - 6 * score));
    const pairs: RankedPair[] = Array.from({ length: 400 }, () =>
      Array.from({ length: 100 }, (_, rank) => {
        const score = 1 - rank / 100;
        return { score, share: rank / 100, isRelevant: random() < chanceAt(score), weight: 1 };
      }),
    ).flat();
    const scores = Array.from({ length: 100 }, (_, rank) => 1 - rank / 100);
    const strengths = strengthsOf(fitCurve(pairs, 1), scores, 100);
    const errors = scores.map((score, rank) => Math.abs((strengths[rank] ?? 0) - chanceAt(score)));
    expect(errors.reduce((sum, each) => sum + each, 0) / errors.length).toBeLessThan(0.03);
  });

  it('never rise along a ranking, with the shipped curves too', () => {
    const scores = fc.array(finite(-0.5, 1.2), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 9 }), (given, seeds) => {
        const falling = [...given].sort((a, b) => b - a);
        const strengths = [...strengthsOf(curveFor(shippedCalibration, seeds), falling, 5_000)];
        expect(strengths).toEqual([...strengths].sort((a, b) => b - a));
        expect(Math.min(...strengths)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...strengths)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('are read from the curve of the most seeds that there are', () => {
    const curve = (seedsFrom: number) => ({ seedsFrom, weights: [], line: { values: [], outcomes: [] } });
    const calibration: Calibration = { source: 'fitted', curves: [1, 2, 4].map(curve) };
    expect([1, 2, 3, 4, 20].map(seeds => curveFor(calibration, seeds).seedsFrom)).toEqual([1, 2, 2, 4, 4]);
  });
});
