import { describe, expect, it } from '@jest/globals';
import { countOf, formatOctets, formatSeconds, formatShare } from './format.ts';

describe('numbers for people', () => {
  it('count one and many', () => {
    expect(countOf(1, 'row')).toBe('1 row');
    expect(countOf(0, 'row')).toBe('0 rows');
    expect(countOf(12_345, 'company', 'companies')).toBe('12,345 companies');
  });

  it.each([
    [0, 'less than a minute'],
    [59, 'less than a minute'],
    [60, '1 minute'],
    [3_540, '59 minutes'],
    [3_600, '1 h'],
    [7_500, '2 h 5 min'],
  ])('%d seconds are %s', (seconds, words) => {
    expect(formatSeconds(seconds)).toBe(words);
  });

  it('say sizes and shares', () => {
    expect([formatOctets(812), formatOctets(3_400), formatOctets(12_000_000)]).toEqual([
      '812 B',
      '3.4 kB',
      '12 MB',
    ]);
    expect(formatShare(0.1234)).toBe('12.3%');
  });
});
