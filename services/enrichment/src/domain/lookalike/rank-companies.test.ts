import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indexCompany, ModelBuilder, placeAmong, type VectorByWords, vectorByWords } from './build-model.ts';
import { wordsOfText } from './company-text.ts';
import type { LookalikeQuestion } from './lookalike-ranking.ts';
import { type PlacedSeeds, type RankingModel, rankCompanies } from './rank-companies.ts';
import { inventedCompanies } from './testing/invented-companies.ts';

const trades = 12;
const companies = inventedCompanies(360, trades);
const built = buildFrom(companies);
const model: RankingModel = { modelNo: 1, ...built.model, index: built.index };
const ask = (question: Partial<LookalikeQuestion>) =>
  rankCompanies(model, { seeds: [1], limit: 360, ...question });
const numbers = (answer: ReturnType<typeof ask>) => answer.matches.map(({ companyNo }) => companyNo);
const tradeOf = (companyNo: number) => (companyNo - 1) % trades;

function buildFrom(list: typeof companies) {
  const builder = new ModelBuilder();
  for (const company of list) {
    builder.add(company);
  }
  return builder.finish();
}

const someCompanies = fc.uniqueArray(fc.integer({ min: 1, max: 360 }), { minLength: 1, maxLength: 5 });

describe('the ranking of companies', () => {
  it('is the same for the same companies', () => {
    const again = buildFrom(companies);
    const question = { seeds: [5, 17], limit: 50, explain: 50 };
    expect(rankCompanies({ modelNo: 1, ...again.model, index: again.index }, question)).toEqual(
      rankCompanies(model, question),
    );
  });

  it('returns no seed, no excluded example, and no company twice', () => {
    fc.assert(
      fc.property(someCompanies, someCompanies, (seeds, unlike) => {
        fc.pre(seeds.some(seed => !unlike.includes(seed)));
        const found = numbers(ask({ seeds, unlike }));
        expect(found.filter(each => seeds.includes(each) || unlike.includes(each))).toEqual([]);
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: 30 },
    );
  });

  it('does not depend on the order of seeds, nor on naming one twice', () => {
    fc.assert(
      fc.property(someCompanies, seeds => {
        const answer = numbers(ask({ seeds }));
        expect(numbers(ask({ seeds: [...seeds].sort((a, b) => a - b) }))).toEqual(
          numbers(ask({ seeds: [...seeds].sort((a, b) => a - b).flatMap(each => [each, each]) })),
        );
        expect(new Set(numbers(ask({ seeds: seeds.toReversed() })))).toEqual(new Set(answer));
      }),
      { numRuns: 20 },
    );
  });

  it('says strengths that never rise, counts by them, and stops where nothing is like the seed', () => {
    const { matches, total, expected } = ask({});
    const strengths = matches.map(({ strength }) => strength);
    expect(strengths).toEqual([...strengths].sort((a, b) => b - a));
    expect(total).toBe(matches.length);
    expect(total).toBeLessThan(359);
    for (const { strengthFrom, candidates } of expected) {
      expect(candidates).toBe(strengths.filter(strength => strength >= strengthFrom).length);
    }
  });

  it('answers pages that together are the whole', () => {
    const whole = numbers(ask({}));
    const pages = [0, 20, 40].flatMap(offset => numbers(ask({ offset, limit: 20 })));
    expect(pages).toEqual(whole.slice(0, 60));
    expect(ask({ limit: 0 }).total).toBe(whole.length);
  });

  it('filters by facets and leaves out the excluded, strengths unchanged', () => {
    const all = ask({}).matches;
    const excluded = all[0]?.companyNo as number;
    const filtered = ask({ candidates: { countries: ['DE'], excludedCompanyNos: [excluded] } }).matches;
    expect(filtered).toEqual(
      all.filter(({ companyNo }) => (companyNo - 1) % 3 === 0 && companyNo !== excluded),
    );
    expect(ask({ candidates: { countries: ['XX'] } })).toMatchObject({ total: 0, matches: [] });
    expect(ask({ candidates: { countries: [] } }).total).toBe(all.length);
  });

  it('ranks companies similar to unwanted ones lower, and no match higher', () => {
    // A seed between two trades matches both.
    const seeds = [1, 2];
    const before = ask({ seeds, limit: 40, candidates: { excludedCompanyNos: [14] } }).matches;
    const after = ask({ seeds, unlike: [14], limit: 40 }).matches;
    const ofUnlike = (list: typeof before) => list.filter(({ companyNo }) => tradeOf(companyNo) === 1).length;
    expect(ofUnlike(after)).toBeLessThan(ofUnlike(before));
    expect(ofUnlike(before)).toBeGreaterThan(5);
  });

  it('gives as reasons words that both use, and fields that are the same', () => {
    const { matches } = ask({ explain: 10 });
    for (const { companyNo, reasons } of matches.slice(0, 10)) {
      const [seed, other] = [companies[0], companies[companyNo - 1]];
      for (const term of reasons?.sharedTerms ?? []) {
        expect(seed?.description).toContain(term);
        expect(other?.description).toContain(term);
      }
      const values = reasons?.matchingFacets.map(({ value }) => value) ?? [];
      expect(values.includes('DE')).toBe(other?.facets.country === 'DE');
    }
    expect(matches[10]?.reasons).toBeNull();
  });

  it('skips a removed company, and reports a removed seed', () => {
    const gone = numbers(ask({}))[0] as number;
    const row = model.index.rowOf(gone) as number;
    const kept = { vector: model.index.vectorAt(row).slice(), words: model.index.words.row(row) };
    model.index.remove(gone);
    const answer = ask({ seeds: [1, gone] });
    const { facets } = companies[gone - 1] as (typeof companies)[number];
    model.index.put({ companyNo: gone, ...kept, facets });
    expect(numbers(answer)).not.toContain(gone);
    expect(answer.unusable).toEqual(new Map([[gone, 'too_little_text']]));
  });

  it('refuses questions out of bounds, and finds nothing like seeds that are not there', () => {
    expect(() => ask({ seeds: [] })).toThrow(RangeError);
    expect(() => ask({ limit: 50_001 })).toThrow(RangeError);
    expect(() => ask({ described: Array.from({ length: 12 }, () => ({ one: 1 })) })).toThrow(RangeError);
    expect(ask({ seeds: [9_999] })).toMatchObject({
      total: 0,
      matches: [],
      unusable: new Map([[9_999, 'too_little_text']]),
    });
  });
});

describe('a described seed', () => {
  const wordsOf = (companyNo: number) =>
    wordsOfText({ ...(companies[companyNo - 1] as (typeof companies)[number]), name: '' });
  const place = (companyNo: number) =>
    placeAmong(built.model, built.index, vectorByWords(built.model, wordsOf(companyNo)) as VectorByWords);
  const askDescribed = (question: Partial<LookalikeQuestion>, described: PlacedSeeds['described']) =>
    rankCompanies(
      model,
      { seeds: [], described: described.map(() => ({ any: 1 })), limit: 40, explain: 5, ...question },
      undefined,
      { companies: new Map(), described },
    );

  it('finds its trade, with reasons, alone and next to a company', () => {
    const alone = askDescribed({}, [place(5)]);
    expect(numbers(alone).filter(each => tradeOf(each) === 4).length).toBeGreaterThan(20);
    expect(alone.matches[0]?.reasons?.sharedTerms.length).toBeGreaterThan(0);
    // The company itself is a candidate, because nothing names it.
    expect(numbers(alone)).toContain(5);
    const both = askDescribed({ seeds: [17] }, [place(5)]);
    expect(numbers(both).filter(each => tradeOf(each) === 4).length).toBeGreaterThan(20);
    expect(numbers(both)).not.toContain(17);
  });

  it('counts like the company with the same words, also against unlike companies', () => {
    const row = model.index.rowOf(5) as number;
    const asPlace = { vector: model.index.vectorAt(row), words: model.index.words.row(row) };
    const question = { unlike: [2], candidates: { excludedCompanyNos: [5] }, limit: 300 };
    const byPlace = askDescribed(question, [asPlace]).matches;
    const byRow = ask({ seeds: [5], explain: 5, ...question }).matches;
    expect(byPlace.map(({ companyNo }) => companyNo)).toEqual(byRow.map(({ companyNo }) => companyNo));
    for (const [at, { strength }] of byPlace.entries()) {
      expect(strength).toBeCloseTo(byRow[at]?.strength ?? 0, 1);
    }
  });

  it('says why it is not used', () => {
    expect(askDescribed({}, ['other_language'])).toMatchObject({
      total: 0,
      unusableDescribed: ['other_language'],
    });
    expect(askDescribed({ seeds: [1] }, ['too_little_text', place(5)]).unusableDescribed).toEqual([
      'too_little_text',
      null,
    ]);
  });
});

describe('a company that comes after the model', () => {
  it('lies among its trade, and nowhere without known words', () => {
    const later = { ...(companies[4] as (typeof companies)[number]), companyNo: 361, name: 'Later' };
    const indexed = indexCompany(built.model, built.index, later);
    built.index.put(indexed as NonNullable<typeof indexed>);
    const found = ask({ seeds: [361], limit: 10 });
    built.index.remove(361);
    expect(numbers(found).filter(each => tradeOf(each) === 4).length).toBeGreaterThan(7);
    expect(indexCompany(built.model, built.index, { ...later, description: 'qqq' })).toBeNull();
  });
});
