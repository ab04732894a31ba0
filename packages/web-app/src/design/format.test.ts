import { describe, expect, it } from '@jest/globals';
import {
  browserName,
  countOf,
  formatClock,
  formatOctets,
  formatSeconds,
  formatShare,
  isTelephone,
  monogramOf,
} from './format.ts';

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

describe('what a browser is called', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
      'Firefox on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari on Mac',
    ],
    // Truncated as the gateway truncates it: the system comes before the browser.
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Vers',
      'A program on iPhone',
    ],
    ['curl/8.14.1', 'Another program'],
    ['', 'Another program'],
    ['<img src=x onerror=alert(1)>', 'Another program'],
  ])('%s', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });

  it('recognizes phones', () => {
    expect(isTelephone('Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)')).toBe(true);
    expect(
      isTelephone('Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0.0.0 Mobile Safari/537.36'),
    ).toBe(true);
    expect(isTelephone('Mozilla/5.0 (X11; Linux x86_64)')).toBe(false);
  });
});

describe('a time that comes soon', () => {
  it('has its day only if that is not today', () => {
    const now = new Date(2026, 2, 2, 8, 0);
    expect(formatClock(new Date(2026, 2, 2, 9, 30).toISOString(), now)).toMatch(/^9:30\sAM$/);
    expect(formatClock(new Date(2026, 2, 3, 0, 5).toISOString(), now)).toMatch(/^Mar 3, 2026, 12:05\sAM$/);
  });
});

it('makes a monogram of the first letters of a name, in a tint that stays the same', () => {
  expect(
    ['Saltfin Code', 'Nimbuskey', 'élan & co.', '株式会社 例', '—'].map(name => monogramOf(name).letters),
  ).toEqual(['SC', 'N', 'ÉC', '株例', '']);
  expect(monogramOf('Saltfin Code')).toEqual(monogramOf('Saltfin Code'));
  const tints = ['Acme', 'Bolt', 'Cask', 'Dune', 'Echo', 'Fern'].map(name => monogramOf(name).tint);
  expect(tints.every(tint => tint >= 1 && tint <= 5)).toBe(true);
  expect(new Set(tints).size).toBeGreaterThan(1);
});
