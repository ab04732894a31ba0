import { describe, expect, it, test } from '@jest/globals';
import { readDomain, readWebsite } from '@mailproof/shared-types/web-address';
import { readCountry } from './country.ts';
import { industries, industryOf } from './industry.ts';
import { readLocation } from './location.ts';
import { readCount, readEmployees, readNumber, readRevenue, readYear } from './numbers.ts';
import { isEmailAddress, readText, readWords } from './text.ts';

test.each([
  ['1,200', 1_200],
  ['1 200', 1_200],
  ['1.5M', 1_500_000],
  ['2 billion', 2_000_000_000],
  ['12,34', undefined],
  ['-5', undefined],
  ['1e5', undefined],
  ['medium', undefined],
])('the number %s', (text, value) => expect(readNumber(text)).toBe(value));

test.each([
  ['11-50', null, '11-50'],
  ['51 to 200 employees', null, '51-200'],
  ['10,001+', null, '10001+'],
  ['10001+', null, '10001+'],
  ['0-10', null, '1-10'],
  ['1,200', 1_200, '1001-5000'],
  ['0', 0, null],
])('%s employees', (text, employeeCount, companySize) =>
  expect(readEmployees(text)).toEqual({ employeeCount, companySize }),
);
// A range that no single band contains is not read: part of it would be made up.
test.each(['1-200', '50+', 'medium', '50-11', ''])('%s employees are not read', text =>
  expect(readEmployees(text)).toBeUndefined(),
);

test.each([
  ['$10M', 10_000_000, '$10-25M'],
  ['$1M-$10M', null, '$1-10M'],
  ['$1-10M', null, '$1-10M'],
  ['USD 1,200', 1_200, '$0-1M'],
  ['$10B+', null, '$10B+'],
])('revenue of %s', (text, annualRevenueUsd, revenue) =>
  expect(readRevenue(text)).toEqual({ annualRevenueUsd, revenue }),
);
test.each(['€5M', '5M EUR', '$1M-$100M', 'private'])('revenue of %s is not read', text =>
  expect(readRevenue(text)).toBeUndefined(),
);

test.each([
  ['United States', 'US'],
  ['usa', 'US'],
  ['UK', 'GB'],
  ['DEU', 'DE'],
  ['Deutschland', 'DE'],
  ['south korea', 'KR'],
  ['Viet Nam', 'VN'],
  ['Atlantis', undefined],
  ['XX', undefined],
  ['constructor', undefined],
  ['GROSSBRITANNIEN', 'GB'],
])('the country %s', (text, code) => expect(readCountry(text)).toBe(code));

test.each([
  ['Austin, Texas, United States', { country: 'US', region: 'Texas', city: 'Austin' }],
  ['California, United States', { country: 'US', region: 'California', city: null }],
  ['Berlin, Germany', { country: 'DE', region: null, city: 'Berlin' }],
  ['Munich, Bavaria, DE', { country: 'DE', region: 'Bavaria', city: 'Munich' }],
  ['DE', { country: 'DE', region: null, city: null }],
  // A state or a country.
  ['Los Angeles, CA', undefined],
  ['Wilmington, DE', undefined],
  ['Atlanta, Georgia', undefined],
  ['Austin, TX', undefined],
  ['Greater Boston Area', undefined],
])('the location %s', (text, location) => expect(readLocation(text)).toEqual(location));

it('looks up the country of any text in less than a tenth of a millisecond', () => {
  const texts = Array.from({ length: 2_000 }, (_, n) => `Greater Example Area ${n}`);
  const startedAt = process.cpuUsage();
  for (const text of texts) {
    readCountry(text);
  }
  const { user } = process.cpuUsage(startedAt);
  expect(user / texts.length).toBeLessThan(100);
});

test.each([
  ['https://www.Acme.co.uk/about?x=1', 'acme.co.uk'],
  ['acme.com', 'acme.com'],
  ['shop.acme.com', 'acme.com'],
  ['https://müller.de', 'xn--mller-kva.de'],
  ['acme.github.io', 'acme.github.io'],
  // Shared sites: the page is one company's, the domain another's.
  ['facebook.com/acme', undefined],
  ['https://acme.tumblr.com', undefined],
  ['facebook.com', 'facebook.com'],
  ['github.com', 'github.com'],
  ['ada.wordpress.com', undefined],
  ['wordpress.com', 'wordpress.com'],
  ['https://www.researchgate.net/profile/Ada', undefined],
  // Hosts of mailboxes: CRMs take the domain of an address for a company's.
  ['gmail.com', undefined],
  ['https://www.web.de/', undefined],
  ['127.0.0.1', undefined],
  ['localhost', undefined],
  ['co.uk', undefined],
  ['somebody@acme.com', undefined],
  ['javascript:alert(1)', undefined],
])('the domain of %s', (text, domain) => expect(readDomain(text)).toBe(domain));

describe('text', () => {
  it('has no signs that Postgres or a terminal trips over', () => {
    expect(readText('a\u0000b\u001b[2J\ud800 c\n d', 100)).toBe('a b [2J\ufffd c d');
    expect(readText('😀😀', 3)).toBe('😀');
  });

  it('is nothing where the source knows nothing', () => {
    for (const nothing of ['', ' ', 'N/A', 'null', '-', 'NaN', '\\N'])
      expect(readText(nothing, 10)).toBeNull();
  });

  it('never holds an address', () => {
    expect(readText('Write to ada.l+x@acme.co.uk, or <bob@müller.de>.', 200)).not.toContain('@');
    expect(isEmailAddress(' mailto:ada@acme.test ')).toBe(true);
    expect(isEmailAddress('ada at acme')).toBe(false);
    expect(readWords('cloud; ada@acme.test | cloud,api', { words: 9, characters: 20 })).toEqual([
      'cloud',
      'api',
    ]);
  });
});

test('other values', () => {
  expect(readCount('500+')).toBe(500);
  expect(readCount('99999999999')).toBeUndefined();
  expect(readYear('1999.0')).toBe(1999);
  expect(readYear('1999-05-01')).toBe(1999);
  expect(readYear('99')).toBeUndefined();
  expect(readWebsite('acme.test')).toBe('https://acme.test/');
});

describe('industries', () => {
  it('are found with any spelling of the label', () => {
    for (const label of ['Hospital & Health Care', 'hospital and health care', 'HOSPITAL/HEALTH CARE'])
      expect(industryOf(label)).toEqual({ industry: 'health care', naics: '62' });
    // A label to which the industry's code does not apply has its own code.
    expect(industryOf('Steel')).toEqual({ industry: 'metals and mining', naics: '331' });
    expect(industryOf('Wine & Spirits')).toEqual({ industry: 'food and beverages', naics: '3121' });
    for (const { naics, labels } of industries)
      for (const code of [naics, ...labels.map(label => label.naics)])
        expect(code).toMatch(/^(?:\d{2}-\d{2}|\d{2,6})$/);
    expect(industryOf('Underwater basket weaving')).toBeUndefined();
  });

  it('have one meaning for each label', () => {
    const labels = industries.flatMap(({ name, labels }) => [name, ...labels.map(({ label }) => label)]);
    expect(new Set(labels).size).toBe(labels.length);
    for (const { name } of industries) expect(industryOf(name)?.industry).toBe(name);
  });
});
