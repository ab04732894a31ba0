import type { CompanyIndex } from './company-index.ts';
import type { MatchReasons } from './lookalike-ranking.ts';
import type { TermSpace } from './term-space.ts';

const sharedTermsMax = 10;

/** Below this share of the most telling term a term is noise. */
const tellingMin = 0.02;

/** Why a company matches: the words that add most to the nearness, and the fields in which it is the same. */
export function reasonsFor(
  { index, space }: { index: CompanyIndex; space: TermSpace },
  seeds: readonly number[],
  row: number,
): MatchReasons {
  const seedWords = new Map<number, number>();
  for (const seed of seeds) {
    const { columns, values } = index.words.row(seed);
    columns.forEach((column, at) => {
      seedWords.set(column, (seedWords.get(column) ?? 0) + (values[at] as number));
    });
  }
  const { columns, values } = index.words.row(row);
  const shared = [...columns].flatMap((column, at) => {
    const telling = (seedWords.get(column) ?? 0) * (values[at] as number);
    return telling > 0 ? [{ column, telling }] : [];
  });
  shared.sort((a, b) => b.telling - a.telling || a.column - b.column);
  const most = shared[0]?.telling ?? 0;
  return {
    sharedTerms: shared
      .filter(({ telling }) => telling >= tellingMin * most)
      .slice(0, sharedTermsMax)
      .map(({ column }) => space.surfaces[column] ?? ''),
    matchingFacets: index.facets.shared(row, seeds),
  };
}
