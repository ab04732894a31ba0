import type { StoredCompany } from '../../src/domain/lookalike/build-model.ts';
import {
  type Calibration,
  curveFor,
  fitCurve,
  shippedCalibration,
  strengthsOf,
} from '../../src/domain/lookalike/calibration.ts';
import { type JudgedQuestion, judgeQuestions } from '../../src/domain/lookalike/fit-calibration.ts';
import { strengthMin } from '../../src/domain/lookalike/lookalike-ranking.ts';
import type { RankingModel } from '../../src/domain/lookalike/rank-companies.ts';
import { sampleOf, seededRandom } from '../../src/domain/lookalike/seeded-random.ts';
import { calibrationError, type Prediction, type ReliabilityBand, reliabilityOf } from './measures.ts';

const folds = 5;
const questionsMax = 1_000;
/** The depths at which people look: a preview, its first ten, and the results of a small run. */
const depths = [10, 25, 100, 200] as const;

export interface CalibrationQuality {
  readonly questions: number;
  /** By the number of first candidates examined; at depth 200, only those strong enough to be a match. */
  readonly errors: readonly {
    readonly depth: number;
    readonly before: number;
    readonly after: number;
    readonly shipped: number;
  }[];
  /** For the first 100 candidates. */
  readonly reliability: readonly ReliabilityBand[];
  /** For seeds whose industries the fit did not know. */
  readonly fresh: readonly FreshSeeds[];
}

export interface FreshSeeds {
  readonly depth: number;
  readonly error: number;
  /** The mean strength minus the share of relevant candidates: positive if strengths promise too much. */
  readonly bias: number;
}

/**
 * Measures strengths of candidates for seeds of industries excluded from the fit: neither questions nor candidates of a
 * fifth of all industries take part in the fit that they evaluate. Returns null if too few companies have industries.
 */
export function measureCalibration(
  companies: readonly StoredCompany[],
  { index }: RankingModel,
): CalibrationQuality | null {
  const industryOf = (row: number) => companies[index.companyNoAt(row) - 1]?.industryLabel ?? null;
  // Different questions from those to which the model's own calibration was fitted.
  const questions = judgeQuestions(index, industryOf, { seeds: 1, seed: 1_001, questions: questionsMax });
  if (questions === null) {
    return null;
  }
  const industries = [...new Set(questions.map(({ industry }) => industry))].sort();
  const order = sampleOf(industries.length, industries.length, seededRandom(5));
  const foldOf = new Map(Array.from(order, (at, position) => [industries[at] as string, position % folds]));
  const judged = Array.from({ length: folds }, (_, fold) => {
    const isLeftOut = (industry: string) => foldOf.get(industry) === fold;
    const calibration: Calibration = {
      source: 'fitted',
      curves: [fitCurve(pairsWithout(questions, isLeftOut), 1)],
    };
    return questions
      .filter(({ industry }) => isLeftOut(industry))
      .map(question => ({
        before: question.pairs.map(({ score, isRelevant }) => ({
          strength: Math.min(1, Math.max(0, score)),
          isRelevant,
        })),
        after: predictionsFor(question, calibration, index.companies),
        shipped: predictionsFor(question, shippedCalibration, index.companies),
      }));
  }).flat();
  const errors = depths.map(depth => {
    const upTo = (lists: readonly (readonly Prediction[])[]) =>
      lists.flatMap(list =>
        list
          .slice(0, depth)
          .filter((_, rank) => depth < 200 || rank < 25 || (list[rank]?.strength ?? 0) >= strengthMin),
      );
    return {
      depth,
      before: calibrationError(upTo(judged.map(({ before }) => before))),
      after: calibrationError(upTo(judged.map(({ after }) => after))),
      shipped: calibrationError(upTo(judged.map(({ shipped }) => shipped))),
    };
  });
  const reliability = reliabilityOf(judged.flatMap(({ after }) => after.slice(0, 100)));
  return {
    questions: questions.length,
    errors,
    reliability,
    fresh: measureFreshSeeds(index, industryOf, companies.length),
  };
}

/** Fits to the industries of one half of the companies, and measures with seeds of the other half. */
function measureFreshSeeds(
  index: RankingModel['index'],
  industryOf: (row: number) => string | null,
  companies: number,
): FreshSeeds[] {
  const half = new Set(sampleOf(companies, companies >> 1, seededRandom(101)));
  const isFitted = (row: number) => half.has(index.companyNoAt(row) - 1);
  const fitted = judgeQuestions(index, row => (isFitted(row) ? industryOf(row) : null), {
    seeds: 1,
    seed: 2,
  });
  const fresh = judgeQuestions(index, industryOf, {
    seeds: 1,
    seed: 7_001,
    questions: questionsMax,
    seedIndustryOf: row => (isFitted(row) ? null : industryOf(row)),
  });
  if (fitted === null || fresh === null) {
    return [];
  }
  const pairs = fitted.flatMap(question => question.pairs);
  const calibration: Calibration = { source: 'fitted', curves: [fitCurve(pairs, 1)] };
  const predicted = fresh.map(question => predictionsFor(question, calibration, index.companies));
  return depths.map(depth => {
    const upTo = predicted.flatMap(list =>
      list.slice(0, depth).filter(({ strength }) => depth < 200 || strength >= strengthMin),
    );
    const sum = upTo.reduce((total, { strength, isRelevant }) => total + strength - Number(isRelevant), 0);
    return { depth, error: calibrationError(upTo), bias: sum / Math.max(1, upTo.length) };
  });
}

/** Drops candidates of excluded industries; the other irrelevant candidates represent them too. */
function pairsWithout(questions: readonly JudgedQuestion[], isLeftOut: (industry: string) => boolean) {
  return questions
    .filter(({ industry }) => !isLeftOut(industry))
    .flatMap(({ pairs }) => {
      const kept = pairs.filter(({ industry }) => !isLeftOut(industry));
      const weightOf = (list: typeof pairs) =>
        list.filter(({ isRelevant }) => !isRelevant).reduce((sum, { weight }) => sum + weight, 0);
      const factor = weightOf(pairs) / Math.max(1, weightOf(kept));
      return kept.map(pair => (pair.isRelevant ? pair : { ...pair, weight: pair.weight * factor }));
    });
}

function predictionsFor(
  { pairs }: JudgedQuestion,
  calibration: Calibration,
  companies: number,
): Prediction[] {
  const first = pairs.slice(0, 200);
  const strengths = strengthsOf(
    curveFor(calibration, 1),
    first.map(({ score }) => score),
    companies,
  );
  return first.map(({ isRelevant }, rank) => ({ strength: strengths[rank] as number, isRelevant }));
}
