import { describe, expect, it } from '@jest/globals';
import { termsOf } from './company-text.ts';

const text = (name: string, description: string, keywords: string[] = []) => ({
  name,
  description,
  keywords,
});
const stems = (...given: Parameters<typeof text>) => termsOf(text(...given)).map(({ stem }) => stem);

describe('the words of a company', () => {
  it('leave out stop words, bare numbers and single letters, and make plurals singular', () => {
    expect(stems('X', 'The company sells 3 pumps, batteries and the glass of 2021 to a b c gas.')).toEqual([
      'company',
      'sell',
      'pump',
      'battery',
      'glass',
      'gas',
    ]);
  });

  it('leave out its name, but keep a word of the name that is written small', () => {
    expect(stems('Acme Bank AG', 'Acme Bank AG is a bank. Acme lends. In Rome Acme is a Bank.')).toEqual([
      'bank',
      'lend',
      'rome',
    ]);
  });

  it('weigh less with every sentence; an abbreviation ends none', () => {
    const weights = termsOf(text('X', 'Sells pumps in the U.S. market. Repairs valves! Trains staff.'));
    const weightOf = (stem: string) => weights.find(term => term.stem === stem)?.weight;
    expect(weightOf('market')).toBe(weightOf('pump'));
    expect(weightOf('valve')).toBeLessThan(weightOf('pump') ?? 0);
    expect(weightOf('staff')).toBeLessThan(weightOf('valve') ?? 0);
  });

  it('count capitals only if they do not start a sentence', () => {
    const terms = termsOf(text('X', 'Pumps from Bonn. Valves from rome.'));
    expect(terms.map(({ stem, isCapital }) => [stem, isCapital])).toEqual([
      ['pump', null],
      ['bonn', true],
      ['valve', null],
      ['rome', false],
    ]);
  });

  it('are read in any script, without accents, and by pairs where no spaces are written', () => {
    expect(stems('X', 'Café Ölmühle насосы')).toEqual(['cafe', 'olmuhle', 'насосы']);
    expect(stems('X', '太陽電池')).toEqual(['太陽', '陽電', '電池']);
  });

  it('come from keywords too, and are bounded', () => {
    expect(stems('X', '', ['solar panels', 'AI'])).toEqual(['solar', 'panel', 'ai']);
    expect(termsOf(text('X', 'pump '.repeat(100_000))).length).toBeLessThanOrEqual(2_000);
    expect(termsOf({ name: '', description: null, keywords: [] })).toEqual([]);
  });
});
