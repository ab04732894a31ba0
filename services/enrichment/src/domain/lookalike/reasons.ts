import type { CompanyIndex } from './company-index.ts';
import type { MatchReasons } from './lookalike-ranking.ts';
import type { SparseRow } from './sparse-rows.ts';
import type { TermSpace } from './term-space.ts';

const sharedTermsMax = 10;

/** Below this share of the most telling term a term is noise. */
const tellingMin = 0.02;

/** Tells of companies why they match: the words that add most to the nearness, and the fields that are the same. */
export function reasonsOf(
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
