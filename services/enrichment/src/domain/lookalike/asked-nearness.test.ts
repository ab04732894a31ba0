import { describe, expect, it } from '@jest/globals';
import { ModelBuilder, placeByWords, placeCompany } from './build-model.ts';
import { CompanyIndex } from './company-index.ts';
import type { LookalikeQuestion } from './lookalike-ranking.ts';
import { rankCompanies } from './rank-companies.ts';
import { inventedCompanies } from './testing/invented-companies.ts';

const companies = inventedCompanies(240, 8);
const { model, index } = built();
const placeless = new CompanyIndex(model.dimensions, model.space.stems.length, index.length, false);
companies.forEach(({ facets }, row) => {
  placeless.put({
    companyNo: index.companyNoAt(row),
    place: index.placeAt(row),
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
  return index.nearness(index.aimAt(companyNos.map(companyNo => index.rowOf(companyNo) as number)).place);
}

const rank = (asked = { seeds: nearnessTo([3, 11]), unlikes: nearnessTo([5]) }) =>
  rankCompanies({ modelNo: 1, ...model, index: placeless }, question, asked);

describe('an index without places', () => {
  it('ranks by the nearness that it is brought as one with places does', () => {
    const expected = rankCompanies({ modelNo: 1, ...model, index }, question);
    const answer = rank();
    expect(expected.total).toBeGreaterThan(10);
    expect({ ...answer, matches: [] }).toEqual({ ...expected, matches: [] });
    expect(answer.matches.map(({ companyNo, reasons }) => [companyNo, reasons])).toEqual(
      expected.matches.map(({ companyNo, reasons }) => [companyNo, reasons]),
    );
  });

  it('has no candidate, and uses no seed, whose nearness is not known', () => {
    const first = rank().matches[0]?.companyNo as number;
    const asked = { seeds: nearnessTo([3, 11]), unlikes: nearnessTo([5]) };
    asked.seeds[index.rowOf(first) as number] = Number.NaN;
    asked.seeds[index.rowOf(11) as number] = Number.NaN;
    const answer = rank(asked);
    expect(answer.matches.map(({ companyNo }) => companyNo)).not.toContain(first);
    expect(answer.matches.every(({ strength }) => strength > 0)).toBe(true);
    expect(answer.unusable).toEqual([11]);
    // Companies added to the index while the nearness was computed have none yet.
    const early = { seeds: asked.seeds.slice(0, 100), unlikes: asked.unlikes };
    expect(Math.max(...rank(early).matches.map(({ companyNo }) => companyNo))).toBeLessThanOrEqual(100);
  });

  it('places a newcomer where one with places does', () => {
    const later = { ...(companies[7] as (typeof companies)[number]), companyNo: 900 };
    const own = placeByWords(model, later)?.own as Float32Array;
    const nearness = index.nearness(own);
    const expected = placeCompany(model, index, later);
    expect(placeCompany(model, placeless, later, nearness)?.place).toEqual(expected?.place);
    const known = nearness.fill(Number.NaN, 0, 200);
    expect(placeCompany(model, placeless, later, known)?.place.every(value => Number.isFinite(value))).toBe(
      true,
    );
  });
});
