import type { LookalikeModel, StoredCompany } from './build-model.ts';
import type { CompanyIndex, IndexedCompany } from './company-index.ts';
import { termsOf } from './company-text.ts';
import { chooseNeighbours, movedToNeighbours, NearestRows } from './neighbourhood.ts';
import type { SparseRow } from './sparse-rows.ts';
import { rowOf } from './term-space.ts';
import { project, rowProduct } from './vectors.ts';

/**
 * Gives a company that came after the model its place in it; null where none of its words is known. Its neighbours are
 * taken from the index, and lie there as they have been moved already; they are moved back for the middle. An index
 * without places needs every row's nearness to `placeByWords`.
 */
export function placeCompany(
  model: LookalikeModel,
  index: CompanyIndex,
  company: StoredCompany,
  asked?: Float32Array,
): IndexedCompany | null {
  const byWords = placeByWords(model, company);
  if (byWords === null) {
    return null;
  }
  const { words, own } = byWords;
  const scores = asked ?? index.nearness(own);
  const nearest = new NearestRows();
  for (let row = 0; row < index.length; row++) {
    const companyNo = index.companyNoAt(row);
    const score = scores[row] as number;
    if (companyNo !== 0 && companyNo !== company.companyNo && !Number.isNaN(score)) {
      nearest.offer(row, score);
    }
  }
  const near = chooseNeighbours(nearest.list(), row => rowProduct(words, index.words.row(row)));
  const place = movedToNeighbours(own, near, row =>
    project(index.words.row(row), model.projection, model.dimensions),
  );
  return { companyNo: company.companyNo, place, words, facets: company.facets };
}

/** Where a company lies by its own words, before neighbours move it; null where none of its words is known. */
export function placeByWords(
  model: LookalikeModel,
  company: StoredCompany,
): { words: SparseRow; own: Float32Array } | null {
  const words = rowOf(termsOf(company), model.space);
  return words.columns.length === 0
    ? null
    : { words, own: project(words, model.projection, model.dimensions) };
}
