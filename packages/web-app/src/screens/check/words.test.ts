import { describe, expect, it } from '@jest/globals';
import { agoWords, askedWords, domainOf, replyWords, waitingWords } from './words.ts';

describe('the words of a check', () => {
  it('change during the wait, and end with what happens at the deadline', () => {
    const said = new Set([0, 3, 5, 11, 12, 24].map(seconds => waitingWords(seconds, 'ordinary.example')));
    expect([...said]).toHaveLength(3);
    expect([...said][0]).toContain('ordinary.example');
    expect([...said].at(-1)).toContain('25 seconds');
  });

  it('distinguish a new result from a cached one', () => {
    expect(askedWords(0, 412)).toBe('Just now, in 412 ms');
    expect(askedWords(0, 3_240)).toBe('Just now, in 3.2 seconds');
    expect(askedWords(240, 0)).toBe('4 minutes ago (cached)');
    expect([1, 7_200, 200_000].map(agoWords)).toEqual(['1 second ago', '2 hours ago', '2 days ago']);
  });

  it('name a domain', () => {
    expect(domainOf('"a@b"@ordinary.example')).toBe('ordinary.example');
  });

  it('distinguish a reply from a missing one', () => {
    expect(replyWords('250 2.1.5 [fine]')).toEqual({ text: '250 2.1.5 [fine]', isMissing: false });
    expect(replyWords('[connection_refused]')).toEqual({
      text: 'no reply: connection refused',
      isMissing: true,
    });
  });
});
