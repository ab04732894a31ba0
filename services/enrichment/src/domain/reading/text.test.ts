import { expect, test } from '@jest/globals';
import { hasEmail, isEmailAddress, maskEmails, readWords, withoutEmails, withoutPhones } from './text.ts';

test.each([
  'ada@acme.test',
  'Ada.L+x@sub.acme.co.uk',
  'ada＠acme。test',
  'ada @ acme.test',
  'ada(at)acme.test',
  'ada [at] acme [dot] test',
  'ada {AT} acme(.)test',
  'ada <at> acme.test',
  'ada&#64;acme.test',
  'ada&#x40;acme.test',
  'ada&commat;acme.test',
  'ada%40acme%2Etest',
  'ada at acme dot test',
  'ada@a\u200bcme.test',
  'mailto:ada@acme.test',
  'jürgen@bücher.test',
])('%s is an email address', text => {
  expect(withoutEmails(`Write to (${text}), please`)).not.toMatch(/acme|bücher/);
  expect(hasEmail(`https://x.test/?${encodeURIComponent(text)}`)).toBe(true);
});

test.each([
  'ada@acme.test',
  'mailto:ada@acme.test',
  'ada%2540acme.test',
  'https://x.test/?m=ada%40acme.test',
])('%s is masked by an address that no one can own, and refused like it', text => {
  const masked = maskEmails(text);
  expect(masked).not.toContain('acme');
  expect(hasEmail(masked)).toBe(true);
  // A cell that is refused for an address is still refused.
  if (isEmailAddress(text)) expect(isEmailAddress(masked)).toBe(true);
  expect(maskEmails(`Ask ${text} today`)).not.toContain('acme');
});

test.each([
  'CTO @ Acme',
  'Head of Sales at Acme',
  'at home, at work',
  '@ada',
  'https://medium.com/@ada',
  'Engineer at acme.test',
  'R&D; 100%40',
  'ada\u200b@',
])('%s is none', text => {
  expect(withoutEmails(text)).toBe(text);
  expect(hasEmail(text)).toBe(false);
  expect(maskEmails(text)).toBe(text);
});

test('an address with two at signs is one address', () => {
  expect(withoutEmails('ask ada%40acme.test@acme.test or eve')).toBe('ask   or eve');
  expect(maskEmails('ada%40acme.test@acme.test')).toBe(maskEmails('ada@acme.test'));
});

test('a text of a mebibyte is looked through at once', () => {
  const long = 'a'.repeat(1_048_576);
  expect(isEmailAddress(`${long}@`)).toBe(false);
  expect(isEmailAddress(`${long}@acme.test`)).toBe(false);
  const words = { words: 50, characters: 80 };
  expect(readWords(`x${'"'.repeat(1_048_576)}x`, words)).toHaveLength(1);
  expect(readWords(`"one"  ; 'two' ""`, words)).toEqual(['one', 'two']);
  withoutEmails(`@${'a'.repeat(1_048_576)}`);
  maskEmails(`%${'a'.repeat(1_048_576)}@`);
  withoutEmails(`@${'a at a dot '.repeat(100_000)}`);
  withoutEmails(`${'a.'.repeat(500_000)}@`);
});

test.each([
  'Call us at 030 1234567 today',
  '+7 999 123-45-67',
  'Tel.: (030) 123 45-67',
  '+49 30 1234567',
  '+1 (555) 010-0199',
  '0049 171 1234567',
  'Sales 555-010-0199, ask for Ada',
  '(555) 010-0199',
  'Mobil 0171/1234567',
])('removes the telephone number of %j', text => {
  expect(withoutPhones(text)).not.toMatch(/\d{4}/);
});

test.each([
  'Founded in 1998, 10,001+ employees in 30 countries',
  'Revenue of $12,500,000 in 2025-2026',
  'ISO 9001:2015 and ISO 27001:2022 certified',
  'More than +30 000 000 users',
  'Revenue grew by +2.500.000 a year',
  'Head of Mobile 2018-2022, then Fax (2023 - 2025)',
  'Open 24/7, 2026-11-29 08:00',
  '1-800-FLOWERS',
  'Patents US 9123456 and EP 1234567',
  'Version 10.15.7 for 192.168.0.1',
])('leaves the numbers of %j', text => {
  expect(withoutPhones(text)).toBe(text);
});
