import { describe, expect, it } from '@jest/globals';
import { delimiterName, faultSentence, providerName, reasonSentence } from './job-words.ts';

describe('why, in words', () => {
  it('is said of every rule and reason, and of those that are not known yet', () => {
    expect(faultSentence('at_sign_missing')).toBe('It has no @.');
    expect(faultSentence('constructor')).toBe('It is no address.');
    expect(reasonSentence('mailbox_missing')).toBe('Its mail server says that there is no such mailbox.');
    expect(reasonSentence('syntax')).toBe('What stands in the row is no email address.');
    expect(reasonSentence('a_new_reason')).toBe('a new reason');
  });
});

describe('a provider', () => {
  it('is called as people write it', () => {
    expect([providerName('google_workspace'), providerName('gmail')]).toEqual(['Google Workspace', 'Gmail']);
  });
});

describe('what stands between cells', () => {
  it.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['', 'one cell a line'],
    ['!', 'the character !'],
  ])('%j is called %s', (delimiter, name) => {
    expect(delimiterName(delimiter)).toBe(name);
  });
});
