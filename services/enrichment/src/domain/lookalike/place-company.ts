import type { LookalikeModel, StoredCompany } from './build-model.ts';
import type { CompanyIndex, IndexedCompany } from './company-index.ts';
import { termsOf } from './company-text.ts';
import { chooseNeighbours, movedToNeighbours, NearestRows } from './neighbourhood.ts';
import { rowOf } from './term-space.ts';
import { project, rowProduct } from './vectors.ts';

/**
 * Gives a company that came after the model its place in it; null where none of its words is known. Its neighbours are
 * taken from the index, and lie there as they have been moved already; they are moved back for the middle.
 */
export function placeCompany(
  model: LookalikeModel,
  index: CompanyIndex,
  company: StoredCompany,
): IndexedCompany | null {
  const words = rowOf(termsOf(company), model.space);
  if (words.columns.length === 0) {
    return null;
  }
  const own = project(words, model.projection, model.dimensions);
  const scores = index.nearness(own);
  const nearest = new NearestRows();
  for (let row = 0; row < index.length; row++) {
    const companyNo = index.companyNoAt(row);
    if (companyNo !== 0 && companyNo !== company.companyNo) {
      nearest.offer(row, scores[row] as number);
    }
  }
  const near = chooseNeighbours(nearest.list(), row => rowProduct(words, index.words.row(row)));
  const place = movedToNeighbours(own, near, row =>
    project(index.words.row(row), model.projection, model.dimensions),
  );
  return { companyNo: company.companyNo, place, words, facets: company.facets };
}
