import { describe, expect, it } from '@jest/globals';
import { delimiterName, faultSentence, providerName, reasonSentence } from './job-words.ts';

describe('why, in words', () => {
  it('exists for every rule and reason, and for unknown ones', () => {
    expect(faultSentence('at_sign_missing')).toBe('The @ is missing.');
    expect(faultSentence('constructor')).toBe('Not a valid address.');
    expect(reasonSentence('mailbox_missing')).toBe(
      'Its mail server reports that the mailbox does not exist.',
    );
    expect(reasonSentence('syntax')).toBe('The cell is not a valid email address.');
    expect(reasonSentence('a_new_reason')).toBe('a new reason');
  });
});

describe('a provider', () => {
  it('is called as people write it', () => {
    expect([providerName('google_workspace'), providerName('gmail')]).toEqual(['Google Workspace', 'Gmail']);
  });
});

describe('delimiters of cells', () => {
  it.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['', 'one cell per line'],
    ['!', 'the character !'],
  ])('%j is called %s', (delimiter, name) => {
    expect(delimiterName(delimiter)).toBe(name);
  });
});
