import { type Calibration, curveFor, strengthsOf } from './calibration.ts';
import type { CompanyIndex } from './company-index.ts';
import {
  explainedMax,
  type LookalikeAnswer,
  LookalikeFault,
  type LookalikeMatch,
  type LookalikeQuestion,
  type MatchReasons,
  matchesMax,
  seedsMax,
  strengthMin,
  strengthSteps,
} from './lookalike-ranking.ts';
import type { SparseRow } from './sparse-rows.ts';
import type { TermSpace } from './term-space.ts';

/** The share of its nearness to a "less like this" company that a candidate loses; chosen by measurement (ADR 0030). */
const unlikeShare = 0.5;

/** The number of strengths computed at a time; most candidates are not matches. */
const stride = 4_096;

export interface RankingModel {
  readonly modelNo: number;
  readonly space: TermSpace;
  readonly calibration: Calibration;
  readonly index: CompanyIndex;
}

/**
 * The nearness of every row to the centroid of the seeds and of the unlike companies, if the index stores no vectors.
 */
export interface AskedNearness {
  readonly seeds: Float32Array;
  readonly unlikes: Float32Array;
}

/**
 * Answers a question from a model. Pure: the same model and question give the same answer. An index without vectors
 * needs a nearness computed elsewhere.
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
    throw new LookalikeFault('no_usable_seed', 'No seed has a description with words that the model knows.');
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

/** The scores used for ranking, and those from which strengths are derived. */
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
  // The seeds themselves resemble the unlike companies to some degree. Only a higher resemblance makes a match weaker,
  // and a lower one never makes a match stronger.
  const usual = seeds.reduce((sum, row) => sum + Math.max(0, unlike[row] as number), 0) / seeds.length;
  for (let row = 0; row < ranked.length; row++) {
    const loss = unlikeShare * (Math.max(0, unlike[row] as number) - usual);
    ranked[row] = (ranked[row] as number) - loss;
    judged[row] = (judged[row] as number) - Math.max(0, loss);
  }
  return { ranked, judged };
}

/** Returns the strengths of the first candidates in the order, as far as any can be a match. */
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

/** Returns the rows from which a question's aims are computed, and the named companies that are unusable. */
export function usedCompanies(
  index: CompanyIndex,
  question: LookalikeQuestion,
  asked?: AskedNearness,
): { seeds: number[]; unlikes: number[]; unusable: number[] } {
  assertBounds(question);
  const unlike = new Set(question.unlike ?? []);
  const seedNos = [...new Set(question.seeds)].filter(companyNo => !unlike.has(companyNo));
  // A company removed while its nearness was computed is no longer used.
  const hasVector = (nearness?: Float32Array) => (row: number) =>
    nearness === undefined || !Number.isNaN(nearness[row] ?? Number.NaN);
  const seeds = usableRows(index, seedNos).filter(hasVector(asked?.seeds));
  const unlikes = usableRows(index, [...unlike]).filter(hasVector(asked?.unlikes));
  const unusable = [...seedNos, ...unlike].filter(
    companyNo => ![...seeds, ...unlikes].some(row => index.companyNoAt(row) === companyNo),
  );
  return { seeds, unlikes, unusable };
}

/** Returns rows of companies with at least one known word; the others have no vector in the space. */
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

const sharedTermsMax = 10;

/** Terms below this share of the most significant term are noise. */
const tellingMin = 0.02;

/** Explains why companies match: the words that add most to the nearness, and the fields with equal values. */
function reasonsOf(
  { index, space }: { index: CompanyIndex; space: TermSpace },
  seeds: readonly number[],
): (row: number) => MatchReasons {
  const seedWords = new Float32Array(space.stems.length);
  for (const seed of seeds) {
    const { columns, values } = index.words.row(seed);
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as number;
      seedWords[column] = (seedWords[column] as number) + (values[at] as number);
    }
  }
  return row => ({
    sharedTerms: sharedColumns(index.words.row(row), seedWords).map(column => space.surfaces[column] ?? ''),
    matchingFacets: index.facets.shared(row, seeds),
  });
}

function sharedColumns({ columns, values }: SparseRow, seedWords: Float32Array): number[] {
  const shared: { column: number; telling: number }[] = [];
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at] as number;
    const telling = (seedWords[column] as number) * (values[at] as number);
    if (telling > 0) {
      shared.push({ column, telling });
    }
  }
  shared.sort((a, b) => b.telling - a.telling || a.column - b.column);
  const most = shared[0]?.telling ?? 0;
  return shared
    .filter(({ telling }) => telling >= tellingMin * most)
    .slice(0, sharedTermsMax)
    .map(({ column }) => column);
}

const stepsOfScore = 1_000_000;
const companyNoMax = 2 ** 31 - 1;

/**
 * Returns company numbers by descending score, ties in ascending order, without dead and skipped rows. Score and number
 * are packed into one float each, because sorting a typed array is many times as fast as sorting with a comparison
 * function.
 */
export function rankedOrder(
  index: CompanyIndex,
  scores: Float32Array,
  skipped: ReadonlySet<number>,
): Int32Array<ArrayBuffer> {
  const keys = new Float64Array(scores.length);
  let length = 0;
  for (let row = 0; row < scores.length; row++) {
    const companyNo = index.companyNoAt(row);
    const score = scores[row] as number;
    // A row whose vector was not found has no score, so it is not a candidate.
    if (companyNo > 0 && !skipped.has(row) && !Number.isNaN(score)) {
      const step = Math.round((2 - score) * stepsOfScore);
      keys[length++] = step * (companyNoMax + 1) + companyNo;
    }
  }
  const sorted = keys.subarray(0, length).sort();
  const order = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) {
    order[rank] = (sorted[rank] as number) % (companyNoMax + 1);
  }
  return order;
}
