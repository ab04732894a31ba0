import { type Calibration, fitCurve, type RankedPair, type StrengthCurve } from './calibration.ts';
import type { CompanyIndex } from './company-index.ts';
import { rankedOrder } from './rank-companies.ts';
import { sampleOf, seededRandom } from './seeded-random.ts';

/** The first `firstMax` candidates are all examined; of the others, a sample of `restMax`. */
const firstMax = 200;
const restMax = 100;

/** The numbers of seeds for which curves are fitted. */
const seedCounts = [1, 3, 5] as const;

/** Limits for one curve: the number of questions, and the total number of companies scanned. */
const questionsMax = 1_500;
const questionsMin = 100;
const scannedMax = 40_000_000;

const industriesMin = 10;
const membersMin = 8;
const labeledMin = 300;

/** The examined candidates of one question, in ranking order. */
export interface JudgedQuestion {
  /** The industry of its seeds. */
  readonly industry: string;
  readonly pairs: readonly (RankedPair & { readonly industry: string })[];
}

/** Fits strengths to a store in which companies have industries; returns null if too few do. */
export function fitCalibration(
  index: CompanyIndex,
  industryOf: (row: number) => string | null,
  settings: { seed: number; onProgress?: (done: number) => void },
): Calibration | null {
  const curves: StrengthCurve[] = [];
  for (const [at, seeds] of seedCounts.entries()) {
    const judged = judgeQuestions(index, industryOf, { seeds, seed: settings.seed + at });
    if (judged === null) {
      return null;
    }
    curves.push(
      fitCurve(
        judged.flatMap(({ pairs }) => pairs),
        seeds === 1 ? 1 : seeds - 1,
      ),
    );
    settings.onProgress?.((at + 1) / seedCounts.length);
  }
  return { source: 'fitted', curves };
}

interface JudgedQuestionsOptions {
  /** The number of seeds of each question. */
  readonly seeds: number;
  /** Of the random choice. */
  readonly seed: number;
  readonly questions?: number;
  /** The industries of companies that may be seeds; all companies with an industry by default. */
  readonly seedIndustryOf?: (row: number) => string | null;
}

/** Ranks companies for random seeds of known industry, and records which candidates are of the same industry. */
export function judgeQuestions(
  index: CompanyIndex,
  industryOf: (row: number) => string | null,
  { seeds, seed, questions: wished = questionsMax, seedIndustryOf = industryOf }: JudgedQuestionsOptions,
): JudgedQuestion[] | null {
  const members = membersByIndustry(index, seedIndustryOf);
  const labeled = [...members.values()].reduce((sum, rows) => sum + rows.length, 0);
  if (members.size < industriesMin || labeled < labeledMin) {
    return null;
  }
  const random = seededRandom(seed);
  const pool = [...members].flatMap(([industry, rows]) => rows.map(row => ({ industry, row })));
  const questions = Math.min(wished, Math.max(questionsMin, Math.floor(scannedMax / index.length)));
  const chosen = sampleOf(pool.length, questions, random);
  return Array.from(chosen, at => {
    const { industry, row } = pool[at] as { industry: string; row: number };
    const others = members.get(industry) ?? [];
    const rows = [row, ...Array.from(sampleOf(others.length, seeds, random), each => others[each] as number)];
    const seedRows = [...new Set(rows)].slice(0, seeds);
    return { industry, pairs: judge(index, industryOf, { seedRows, industry, random }) };
  });
}

function judge(
  index: CompanyIndex,
  industryOf: (row: number) => string | null,
  { seedRows, industry, random }: { seedRows: number[]; industry: string; random: () => number },
): JudgedQuestion['pairs'] {
  const scores = index.scores(index.aimAt({ rows: seedRows, places: [] }));
  const order = rankedOrder(index, scores, new Set(seedRows));
  const first = Math.min(firstMax, order.length);
  const rest = sampleOf(order.length - first, restMax, random).sort();
  const restWeight = rest.length === 0 ? 0 : (order.length - first) / rest.length;
  const ranks = [...Array(first).keys(), ...Array.from(rest, at => first + at)];
  return ranks.flatMap(rank => {
    const row = index.rowOf(order[rank] as number) as number;
    const label = industryOf(row);
    if (label === null) {
      return [];
    }
    return [
      {
        score: scores[row] as number,
        share: rank / order.length,
        isRelevant: label === industry,
        weight: rank < first ? 1 : restWeight,
        industry: label,
      },
    ];
  });
}

function membersByIndustry(
  index: CompanyIndex,
  industryOf: (row: number) => string | null,
): Map<string, number[]> {
  const members = new Map<string, number[]>();
  for (let row = 0; row < index.length; row++) {
    const industry = index.companyNoAt(row) === 0 ? null : industryOf(row);
    if (industry !== null && index.words.row(row).columns.length > 0) {
      const rows = members.get(industry);
      if (rows === undefined) {
        members.set(industry, [row]);
      } else {
        rows.push(row);
      }
    }
  }
  return new Map([...members].filter(([, rows]) => rows.length >= membersMin));
}
