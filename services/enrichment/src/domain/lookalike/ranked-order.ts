import type { CompanyIndex } from './company-index.ts';

const stepsOfScore = 1_000_000;
const companyNoMax = 2 ** 31 - 1;

/**
 * Company numbers by falling score, equal ones rising, without dead and skipped rows. Score and number are packed into
 * one float each, because sorting flat numbers is many times as fast as sorting with a comparison.
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
    // A row whose place was not found has no score, and is no candidate.
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
