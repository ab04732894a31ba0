import { describe, expect, it } from '@jest/globals';
import { indexCompany, ModelBuilder, vectorByWords } from './build-model.ts';
import { CompanyIndex } from './company-index.ts';
import { wordsOfText } from './company-text.ts';
import type { LookalikeQuestion } from './lookalike-ranking.ts';
import { rankCompanies } from './rank-companies.ts';
import { inventedCompanies } from './testing/invented-companies.ts';

const companies = inventedCompanies(240, 8);
const { model, index } = built();
const withoutVectors = new CompanyIndex(model.dimensions, model.space.stems.length, index.length, false);
companies.forEach(({ facets }, row) => {
  withoutVectors.put({
    companyNo: index.companyNoAt(row),
    vector: index.vectorAt(row),
    words: index.words.row(row),
    facets,
  });
});
const question: LookalikeQuestion = { seeds: [3, 11], unlike: [5], limit: 240, explain: 10 };

function built() {
  const builder = new ModelBuilder();
  for (const company of companies) {
    builder.add(company);
  }
  return builder.finish();
}

function nearnessTo(companyNos: readonly number[]): Float32Array {
  return index.nearness(vectorOf(companyNos));
}

function vectorOf(companyNos: readonly number[]): Float32Array {
  const rows = companyNos.map(companyNo => index.rowOf(companyNo) as number);
  return index.aimAt({ rows, places: [] }).vector;
}

const askedNow = () => ({
  seeds: nearnessTo([3, 11]),
  unlikes: nearnessTo([5]),
  unlikeVector: vectorOf([5]),
});
const rank = (asked = askedNow()) =>
  rankCompanies({ modelNo: 1, ...model, index: withoutVectors }, question, asked);

describe('an index without vectors', () => {
  it('ranks by given similarities like an index with vectors', () => {
    const expected = rankCompanies({ modelNo: 1, ...model, index }, question);
    const answer = rank();
    expect(expected.total).toBeGreaterThan(10);
    expect({ ...answer, matches: [] }).toEqual({ ...expected, matches: [] });
    expect(answer.matches.map(({ companyNo, reasons }) => [companyNo, reasons])).toEqual(
      expected.matches.map(({ companyNo, reasons }) => [companyNo, reasons]),
    );
  });

  it('uses no candidate and no seed of unknown similarity', () => {
    const first = rank().matches[0]?.companyNo as number;
    const asked = askedNow();
    asked.seeds[index.rowOf(first) as number] = Number.NaN;
    asked.seeds[index.rowOf(11) as number] = Number.NaN;
    const answer = rank(asked);
    expect(answer.matches.map(({ companyNo }) => companyNo)).not.toContain(first);
    expect(answer.matches.every(({ strength }) => strength > 0)).toBe(true);
    expect([...answer.unusable.keys()]).toEqual([11]);
    // Companies added to the index while the nearness was computed have none yet.
    const early = { ...asked, seeds: asked.seeds.slice(0, 100) };
    expect(Math.max(...rank(early).matches.map(({ companyNo }) => companyNo))).toBeLessThanOrEqual(100);
  });

  it('computes the same vector of a newcomer as one with vectors', () => {
    const later = { ...(companies[7] as (typeof companies)[number]), companyNo: 900 };
    const own = vectorByWords(model, wordsOfText(later))?.own as Float32Array;
    const nearness = index.nearness(own);
    const expected = indexCompany(model, index, later);
    expect(indexCompany(model, withoutVectors, later, nearness)?.vector).toEqual(expected?.vector);
    const known = nearness.fill(Number.NaN, 0, 200);
    expect(
      indexCompany(model, withoutVectors, later, known)?.vector.every(value => Number.isFinite(value)),
    ).toBe(true);
  });
});
