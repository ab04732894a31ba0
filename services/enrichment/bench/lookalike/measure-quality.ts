import { ModelBuilder, type StoredCompany } from '../../src/domain/lookalike/build-model.ts';
import { type RankingModel, rankCompanies, rankedOrder } from '../../src/domain/lookalike/rank-companies.ts';
import { sampleOf, seededRandom } from '../../src/domain/lookalike/seeded-random.ts';
import { type Difference, mean, ndcgAt10, pairedDifference, precisionAt10 } from './measures.ts';
import { plainRankings } from './plain-rankings.ts';

const shownMax = 25;

export interface Scores {
  readonly name: string;
  readonly precision: number;
  readonly ndcg: number;
}

export interface Quality {
  readonly companies: number;
  readonly industries: number;
  readonly seeds: number;
  /** The precision of a random ranking. */
  readonly chance: number;
  readonly rankings: readonly Scores[];
  readonly overTfIdf: Difference;
  readonly overBm25: Difference;
  readonly bySeeds: readonly { readonly seeds: number; readonly precision: number }[];
  readonly threeOverOne: Difference;
  readonly unlike: {
    readonly unwantedBefore: number;
    readonly unwantedAfter: number;
    readonly wantedBefore: number;
    readonly wantedAfter: number;
    readonly unwantedChange: Difference;
  };
}

/** Builds the model used for all measurements. */
export function modelOf(companies: readonly StoredCompany[]): RankingModel {
  const builder = new ModelBuilder();
  for (const company of companies) {
    builder.add(company);
  }
  const { model, index } = builder.finish();
  return { modelNo: 1, space: model.space, calibration: model.calibration, index };
}

export function measureQuality(
  companies: readonly StoredCompany[],
  model: RankingModel,
  seeds: number,
): Quality {
  const members = membersOf(companies);
  const labelOf = (companyNo: number) => companies[companyNo - 1]?.industryLabel ?? null;
  const usable = companies.filter(
    ({ companyNo, industryLabel }) =>
      model.index.rowOf(companyNo) !== undefined && (members.get(industryLabel ?? '')?.length ?? 0) > 1,
  );
  const drawn = Array.from(
    sampleOf(usable.length, seeds, seededRandom(10)),
    at => usable[at] as StoredCompany,
  );
  const plain = plainRankings(companies);
  const measured = (name: string, first: (companyNo: number) => number[]) => {
    const found = drawn.map(({ companyNo, industryLabel }) => ({
      isRelevant: first(companyNo).map(each => labelOf(each) === industryLabel),
      relevant: (members.get(industryLabel ?? '')?.length ?? 1) - 1,
    }));
    const precisions = found.map(({ isRelevant }) => precisionAt10(isRelevant));
    const ndcg = mean(found.map(({ isRelevant, relevant }) => ndcgAt10(isRelevant, relevant)));
    return { name, precisions, precision: mean(precisions), ndcg };
  };
  const ours = measured('ours', companyNo => firstOf(model, [companyNo]));
  const tfIdf = measured('TF-IDF cosine', companyNo => plain.tfIdf(companyNo, 10));
  const bm25 = measured('BM25', companyNo => plain.bm25(companyNo, 10));
  return {
    companies: companies.length,
    industries: members.size,
    seeds: drawn.length,
    chance: mean(
      drawn.map(({ industryLabel }) => (members.get(industryLabel ?? '')?.length ?? 1) / companies.length),
    ),
    rankings: [ours, tfIdf, bm25].map(({ name, precision, ndcg }) => ({ name, precision, ndcg })),
    overTfIdf: pairedDifference(ours.precisions, tfIdf.precisions),
    overBm25: pairedDifference(ours.precisions, bm25.precisions),
    ...measureSeeds(model, members, seeds),
    unlike: measureUnlike(model, drawn, labelOf),
  };
}

/** The first ten by score, regardless of strength. */
function firstOf({ index }: RankingModel, seeds: readonly number[]): number[] {
  const rows = seeds.flatMap(companyNo => index.rowOf(companyNo) ?? []);
  const order = rankedOrder(index, index.scores(index.aimAt({ rows, places: [] })), new Set(rows));
  return Array.from(order.subarray(0, 10));
}

/**
 * Measures one, three and five seeds of the same industries; each question of three begins with the seed of the
 * question of one.
 */
function measureSeeds(
  model: RankingModel,
  members: ReadonlyMap<string, readonly number[]>,
  questions: number,
): Pick<Quality, 'bySeeds' | 'threeOverOne'> {
  const random = seededRandom(11);
  const industries = [...members].filter(([, list]) => list.length >= 16).map(([, list]) => list);
  const draws =
    industries.length === 0
      ? []
      : Array.from({ length: questions }, (_, at) => {
          const list = industries[at % industries.length] as readonly number[];
          const seeds = Array.from(sampleOf(list.length, 5, random), each => list[each] as number);
          return { seeds, industry: new Set(list) };
        });
  const precisions = [1, 3, 5].map(count => ({
    seeds: count,
    each: draws.map(({ seeds, industry }) =>
      precisionAt10(firstOf(model, seeds.slice(0, count)).map(companyNo => industry.has(companyNo))),
    ),
  }));
  return {
    bySeeds: precisions.map(({ seeds, each }) => ({ seeds, precision: mean(each) })),
    threeOverOne: pairedDifference(precisions[1]?.each ?? [], precisions[0]?.each ?? []),
  };
}

/**
 * Finds the most frequent unwanted industry among the first 25 and names its first company as "less like this";
 * measures the shares of that industry and of the wanted one among the first 25, before and after.
 */
function measureUnlike(
  model: RankingModel,
  drawn: readonly StoredCompany[],
  labelOf: (companyNo: number) => string | null,
): Quality['unlike'] {
  const rows = drawn.flatMap(({ companyNo, industryLabel }) => {
    const ask = (unlike: number[], excludedCompanyNos: number[]) =>
      rankCompanies(model, {
        seeds: [companyNo],
        unlike,
        limit: shownMax,
        candidates: { excludedCompanyNos },
      }).matches.map(match => match.companyNo);
    const first = ask([], []);
    const unwanted = mostOf(first.map(labelOf).filter(label => label !== null && label !== industryLabel));
    const example = first.find(each => labelOf(each) === unwanted);
    if (unwanted === undefined || example === undefined) {
      return [];
    }
    const share = (list: number[], label: string | null) =>
      list.filter(each => labelOf(each) === label).length / Math.max(1, list.length);
    const before = ask([], [example]);
    const after = ask([example], []);
    return [
      {
        unwantedBefore: share(before, unwanted),
        unwantedAfter: share(after, unwanted),
        wantedBefore: share(before, industryLabel),
        wantedAfter: share(after, industryLabel),
      },
    ];
  });
  const column = (name: keyof (typeof rows)[number]) => rows.map(row => row[name]);
  return {
    unwantedBefore: mean(column('unwantedBefore')),
    unwantedAfter: mean(column('unwantedAfter')),
    wantedBefore: mean(column('wantedBefore')),
    wantedAfter: mean(column('wantedAfter')),
    unwantedChange: pairedDifference(column('unwantedAfter'), column('unwantedBefore')),
  };
}

function membersOf(companies: readonly StoredCompany[]): Map<string, number[]> {
  const members = new Map<string, number[]>();
  for (const { companyNo, industryLabel } of companies) {
    if (industryLabel !== null) {
      members.set(industryLabel, [...(members.get(industryLabel) ?? []), companyNo]);
    }
  }
  return members;
}

function mostOf<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
