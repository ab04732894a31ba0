import { type Calibration, curveFor, strengthsOf } from './calibration.ts';
import type { CompanyIndex, Named, Place } from './company-index.ts';
import {
  describedMax,
  explainedMax,
  type LookalikeAnswer,
  type LookalikeMatch,
  type LookalikeQuestion,
  type MatchReasons,
  matchesMax,
  seedsMax,
  strengthMin,
  strengthSteps,
  type UnusableReason,
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
 * The nearness of every row to the centroid of the seeds and of the unlike companies, if the index stores no vectors,
 * and the latter centroid.
 */
export interface AskedNearness {
  readonly seeds: Float32Array;
  readonly unlikes: Float32Array;
  readonly unlikeVector: Float32Array | null;
}

/** The places of what a question names and the index does not have, or why there is none. */
export interface PlacedSeeds {
  /** By company number. */
  readonly companies: ReadonlyMap<number, Place | UnusableReason>;
  /** For each of the question's descriptions. */
  readonly described: readonly (Place | UnusableReason)[];
}

const nothingPlaced: PlacedSeeds = { companies: new Map(), described: [] };

/**
 * Answers a question from a model. Pure: the same model and question give the same answer. An index without vectors
 * needs a nearness computed elsewhere, and descriptions need `placed`.
 */
export function rankCompanies(
  model: RankingModel,
  question: LookalikeQuestion,
  asked?: AskedNearness,
  placed: PlacedSeeds = nothingPlaced,
): LookalikeAnswer {
  const { index } = model;
  const { seeds, unlikes, ...unused } = usedCompanies(index, question, asked, placed);
  if (countOf(seeds) === 0) {
    const expected = strengthSteps.map(strengthFrom => ({ strengthFrom, candidates: 0 }));
    return { matches: [], total: 0, expected, ...unused, nextModelMs: null, modelNo: model.modelNo };
  }
  const scores = scoresOf(index, seeds, unlikes, asked);
  const skipped = new Set(
    [...question.seeds, ...(question.unlike ?? [])].flatMap(companyNo => index.rowOf(companyNo) ?? []),
  );
  const order = rankedOrder(index, scores.ranked, skipped);
  const strengths = strongOnes(model, order, scores.judged, countOf(seeds));
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
    ...unused,
    nextModelMs: null,
    modelNo: model.modelNo,
  };
}

function countOf({ rows, places }: Named): number {
  return rows.length + places.length;
}

/** The scores used for ranking, and those from which strengths are derived. */
interface Scores {
  readonly ranked: Float32Array;
  readonly judged: Float32Array;
}

function scoresOf(index: CompanyIndex, seeds: Named, unlikes: Named, asked?: AskedNearness): Scores {
  const scoresFor = (named: Named, nearness?: Float32Array) =>
    nearness === undefined
      ? index.scores(index.aimAt(named))
      : index.scoresFrom(nearness, index.wordsOf(named));
  const ranked = scoresFor(seeds, asked?.seeds);
  if (countOf(unlikes) === 0) {
    return { ranked, judged: ranked };
  }
  const judged = Float32Array.from(ranked);
  const unlike = scoresFor(unlikes, asked?.unlikes);
  const unlikeAim =
    asked === undefined
      ? index.aimAt(unlikes)
      : { vector: asked.unlikeVector ?? new Float32Array(), words: index.wordsOf(unlikes) };
  // The seeds themselves resemble the unlike companies to some degree. Only a higher resemblance makes a match weaker,
  // and a lower one never makes a match stronger.
  const seedsUnlike = [
    ...seeds.rows.map(row => unlike[row] as number),
    ...seeds.places.map(place => index.scoreOf(place, unlikeAim)),
  ];
  const usual = seedsUnlike.reduce((sum, score) => sum + Math.max(0, score), 0) / seedsUnlike.length;
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

/** Returns what a question's aims are computed from, and why the rest of what it names is not used. */
export function usedCompanies(
  index: CompanyIndex,
  question: LookalikeQuestion,
  asked: AskedNearness | undefined,
  placed: PlacedSeeds,
): { seeds: Named; unlikes: Named } & Pick<LookalikeAnswer, 'unusable' | 'unusableDescribed'> {
  assertBounds(question);
  const unlike = new Set(question.unlike ?? []);
  const seedNos = [...new Set(question.seeds)].filter(companyNo => !unlike.has(companyNo));
  const unusable = new Map<number, UnusableReason>();
  const namedBy = (companyNos: readonly number[], nearness?: Float32Array) => {
    const rows: number[] = [];
    const places: Place[] = [];
    for (const companyNo of companyNos) {
      const found = placed.companies.get(companyNo) ?? 'too_little_text';
      const row = index.rowOf(companyNo);
      // A company removed while its nearness was computed is no longer used.
      if (row !== undefined && !(nearness && Number.isNaN(nearness[row] ?? Number.NaN))) {
        const isKnown = index.words.row(row).columns.length > 0;
        isKnown ? rows.push(row) : unusable.set(companyNo, 'other_language');
      } else if (typeof found === 'string') {
        unusable.set(companyNo, found);
      } else {
        places.push(found);
      }
    }
    return { rows, places };
  };
  const seeds = namedBy(seedNos, asked?.seeds);
  const unlikes = namedBy([...unlike], asked?.unlikes);
  const isPlace = (each: Place | UnusableReason): each is Place => typeof each !== 'string';
  return {
    seeds: { ...seeds, places: [...seeds.places, ...placed.described.filter(isPlace)] },
    unlikes,
    unusable,
    unusableDescribed: placed.described.map(each => (isPlace(each) ? null : each)),
  };
}

function assertBounds(question: LookalikeQuestion): void {
  const { seeds, described = [], unlike = [], limit, offset = 0, explain = 0 } = question;
  assertBetween('seeds', seeds.length, described.length > 0 ? 0 : 1, seedsMax);
  assertBetween('described', described.length, 0, describedMax);
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
  seeds: Named,
): (row: number) => MatchReasons {
  const seedWords = new Float32Array(space.stems.length);
  for (const { columns, values } of [
    ...seeds.rows.map(row => index.words.row(row)),
    ...seeds.places.map(({ words }) => words),
  ]) {
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as number;
      seedWords[column] = (seedWords[column] as number) + (values[at] as number);
    }
  }
  return row => ({
    sharedTerms: sharedColumns(index.words.row(row), seedWords).map(column => space.surfaces[column] ?? ''),
    matchingFacets: index.facets.shared(row, seeds.rows),
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
