import { type Calibration, curveFor, strengthsOf } from './calibration.ts';
import type { CompanyIndex } from './company-index.ts';
import {
  explainedMax,
  type LookalikeAnswer,
  LookalikeFault,
  type LookalikeMatch,
  type LookalikeQuestion,
  matchesMax,
  seedsMax,
  strengthMin,
  strengthSteps,
} from './lookalike-ranking.ts';
import { rankedOrder } from './ranked-order.ts';
import { reasonsOf } from './reasons.ts';
import type { TermSpace } from './term-space.ts';

/** How much of its nearness to a "less like this" company a candidate loses; chosen by measurement (ADR 0030). */
const unlikeShare = 0.5;

/** Strengths are computed in steps of so many, because most candidates are none. */
const stride = 4_096;

export interface RankingModel {
  readonly modelNo: number;
  readonly space: TermSpace;
  readonly calibration: Calibration;
  readonly index: CompanyIndex;
}

/** How near every row lies to the middle of the seeds and of the unlike companies, where the index keeps no places. */
export interface AskedNearness {
  readonly seeds: Float32Array;
  readonly unlikes: Float32Array;
}

/**
 * Answers a question from a model. Pure: the same model and question give the same answer. An index without places
 * needs the nearness that was computed elsewhere.
 */
export function rankCompanies(
  model: RankingModel,
  question: LookalikeQuestion,
  asked?: AskedNearness,
): LookalikeAnswer {
  assertBounds(question);
  const { index } = model;
  const { seeds, unlikes, unusable } = usedCompanies(index, question, asked);
  if (seeds.length === 0) {
    throw new LookalikeFault('no_usable_seed', 'None of the seeds is described in words that are known.');
  }
  const scores = scoresOf(index, seeds, unlikes, asked);
  const skipped = new Set(
    [...question.seeds, ...(question.unlike ?? [])].flatMap(companyNo => index.rowOf(companyNo) ?? []),
  );
  const order = rankedOrder(index, scores.ranked, skipped);
  const strengths = strongOnes(model, order, scores.judged, seeds.length);
  const found = candidatesAmong(index, order, strengths, question);
  const matches = found.slice(question.offset ?? 0, (question.offset ?? 0) + question.limit);
  const explain = Math.min(question.explain ?? 0, matches.length);
  const reasons = reasonsOf(model, seeds);
  return {
    matches: matches.map(
      (match, at): LookalikeMatch => ({
        ...match,
        reasons: at < explain ? reasons(index.rowOf(match.companyNo) as number) : null,
      }),
    ),
    total: found.length,
    expected: strengthSteps.map(strengthFrom => ({
      strengthFrom,
      candidates: found.filter(({ strength }) => strength >= strengthFrom).length,
    })),
    unusable,
    modelNo: model.modelNo,
  };
}

/** Scores to rank by, and those that strengths are read from. */
interface Scores {
  readonly ranked: Float32Array;
  readonly judged: Float32Array;
}

function scoresOf(
  index: CompanyIndex,
  seeds: readonly number[],
  unlikes: readonly number[],
  asked?: AskedNearness,
): Scores {
  const scoresFor = (rows: readonly number[], nearness?: Float32Array) =>
    nearness === undefined
      ? index.scores(index.aimAt(rows))
      : index.scoresFrom(nearness, index.wordsOf(rows));
  const ranked = scoresFor(seeds, asked?.seeds);
  if (unlikes.length === 0) {
    return { ranked, judged: ranked };
  }
  const judged = Float32Array.from(ranked);
  const unlike = scoresFor(unlikes, asked?.unlikes);
  // The seeds themselves are like the unwanted to some degree. Only what goes beyond it makes a match weaker, and
  // being less like the unwanted than the seeds never makes one stronger.
  const usual = seeds.reduce((sum, row) => sum + Math.max(0, unlike[row] as number), 0) / seeds.length;
  for (let row = 0; row < ranked.length; row++) {
    const loss = unlikeShare * (Math.max(0, unlike[row] as number) - usual);
    ranked[row] = (ranked[row] as number) - loss;
    judged[row] = (judged[row] as number) - Math.max(0, loss);
  }
  return { ranked, judged };
}

/** The strengths of the first candidates in the order, as far as any can be a match. */
function strongOnes(
  { calibration, index }: RankingModel,
  order: Int32Array,
  scores: Float32Array,
  seeds: number,
): Float64Array {
  const curve = curveFor(calibration, seeds);
  for (let length = stride; ; length *= 2) {
    const judged = Float32Array.from(
      order.subarray(0, length),
      companyNo => scores[index.rowOf(companyNo) as number] as number,
    );
    const strengths = strengthsOf(curve, judged, order.length);
    if (length >= order.length || (strengths.at(-1) ?? 0) < strengthMin / 2) {
      return strengths;
    }
  }
}

function candidatesAmong(
  index: CompanyIndex,
  order: Int32Array,
  strengths: Float64Array,
  { candidates = {} }: LookalikeQuestion,
): { companyNo: number; strength: number }[] {
  const excluded = new Set(candidates.excludedCompanyNos ?? []);
  const passes = index.facets.passes(candidates);
  const found: { companyNo: number; strength: number }[] = [];
  for (let rank = 0; rank < strengths.length; rank++) {
    const strength = strengths[rank] as number;
    const companyNo = order[rank] as number;
    if (strength < strengthMin) {
      break;
    }
    if (!excluded.has(companyNo) && passes(index.rowOf(companyNo) as number)) {
      found.push({ companyNo, strength });
    }
  }
  return found;
}

/** The rows that a question's aims are made of, and the companies it names that make none. */
export function usedCompanies(
  index: CompanyIndex,
  question: LookalikeQuestion,
  asked?: AskedNearness,
): { seeds: number[]; unlikes: number[]; unusable: number[] } {
  assertBounds(question);
  const unlike = new Set(question.unlike ?? []);
  const seedNos = [...new Set(question.seeds)].filter(companyNo => !unlike.has(companyNo));
  // One that was removed while its nearness was computed is no longer used.
  const isPlaced = (nearness?: Float32Array) => (row: number) =>
    nearness === undefined || !Number.isNaN(nearness[row] ?? Number.NaN);
  const seeds = usableRows(index, seedNos).filter(isPlaced(asked?.seeds));
  const unlikes = usableRows(index, [...unlike]).filter(isPlaced(asked?.unlikes));
  const unusable = [...seedNos, ...unlike].filter(
    companyNo => ![...seeds, ...unlikes].some(row => index.companyNoAt(row) === companyNo),
  );
  return { seeds, unlikes, unusable };
}

/** Companies without a single known word lie nowhere in the space. */
function usableRows(index: CompanyIndex, companyNos: readonly number[]): number[] {
  return companyNos.flatMap(companyNo => {
    const row = index.rowOf(companyNo);
    return row === undefined || index.words.row(row).columns.length === 0 ? [] : [row];
  });
}

function assertBounds({ seeds, unlike = [], limit, offset = 0, explain = 0 }: LookalikeQuestion): void {
  assertBetween('seeds', seeds.length, 1, seedsMax);
  assertBetween('unlike', unlike.length, 0, seedsMax);
  assertBetween('limit', limit, 0, matchesMax);
  assertBetween('offset', offset, 0, Number.MAX_SAFE_INTEGER);
  assertBetween('explain', explain, 0, explainedMax);
}

function assertBetween(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}.`);
  }
}
