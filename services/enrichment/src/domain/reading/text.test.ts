import { expect, test } from '@jest/globals';
import { hasEmail, isEmailAddress, maskEmails, readWords, withoutEmails } from './text.ts';

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
