import type { StoredCompany } from '../../src/domain/lookalike/build-model.ts';
import { termsOf } from '../../src/domain/lookalike/company-text.ts';

/** Returns the numbers of the first companies in a ranking, best first, without the seed. */
export type PlainRanking = (companyNo: number, count: number) => number[];

/** The count of each word in one company. */
type Counts = ReadonlyMap<string, number>;

/** The two standard rankings, on the same words as ours: without stop words, names and plurals. */
export function plainRankings(companies: readonly StoredCompany[]): {
  tfIdf: PlainRanking;
  bm25: PlainRanking;
} {
  const counts = companies.map(company => countsOf(termsOf(company).map(({ stem }) => stem)));
  const companiesWith = countsOf(counts.flatMap(each => [...each.keys()]));
  const size = companies.length;
  const tfIdfWeights = counts.map(each =>
    unit(
      new Map(
        [...each].map(([word, count]) => [
          word,
          count * (1 + Math.log(size / (companiesWith.get(word) ?? 1))),
        ]),
      ),
    ),
  );
  const lengths = counts.map(each => [...each.values()].reduce((sum, count) => sum + count, 0));
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / size;
  const bm25Weights = counts.map((each, at) => {
    const norm = 1.2 * (1 - 0.75 + (0.75 * (lengths[at] ?? 0)) / meanLength);
    return new Map([...each].map(([word, count]) => [word, (count * 2.2) / (count + norm)]));
  });
  const idf = (word: string) => {
    const having = companiesWith.get(word) ?? 0;
    return Math.log(1 + (size - having + 0.5) / (having + 0.5));
  };
  const bm25Questions = counts.map(
    each => new Map([...each].map(([word, count]) => [word, count * idf(word)])),
  );
  return {
    tfIdf: rankingBy(tfIdfWeights, tfIdfWeights),
    bm25: rankingBy(bm25Questions, bm25Weights),
  };
}

function rankingBy(questions: readonly Counts[], weights: readonly Counts[]): PlainRanking {
  const postings = new Map<string, { at: number; weight: number }[]>();
  weights.forEach((each, at) => {
    for (const [word, weight] of each) {
      const list = postings.get(word);
      if (list === undefined) {
        postings.set(word, [{ at, weight }]);
      } else {
        list.push({ at, weight });
      }
    }
  });
  return (companyNo, count) => {
    const scores = new Float64Array(weights.length);
    for (const [word, factor] of questions[companyNo - 1] ?? []) {
      for (const { at, weight } of postings.get(word) ?? []) {
        scores[at] = (scores[at] as number) + factor * weight;
      }
    }
    return [...scores.keys()]
      .filter(at => at !== companyNo - 1)
      .sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
      .slice(0, count)
      .map(at => at + 1);
  };
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function unit(weights: Counts): Counts {
  const length = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0)) || 1;
  return new Map([...weights].map(([word, weight]) => [word, weight / length]));
}
