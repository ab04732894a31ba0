import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanProfile, cleanText } from './profile-source.ts';

describe('what a source said', () => {
  it.each([
    ['Ada  Example\n', 'Ada Example'],
    ['Write to ada@ordinary.example now', 'Write to now'],
    ['ada.l+x@sub.ordinary.example', undefined],
    ['ada (at) ordinary (dot) example', undefined],
    ['ada [at] ordinary.example!', '!'],
    ['jürgen@bücher.example', undefined],
    ['\u202eevil\u200b', 'evil'],
    ['a\u200bda@ordi\u00adnary.example', undefined],
    ['ada\u0000@ordinary.example', undefined],
    ['a\0b', 'a b'],
    ['@handle, CTO @ Ordinary', '@handle, CTO @ Ordinary'],
    [' \t ', undefined],
    ['\ud800x', '\ufffdx'],
  ])('%j is tidied to %j', (text, clean) => {
    expect(cleanText(text, 200)).toBe(clean);
  });

  it('is bounded, empty fields are left out, and numbers stay', () => {
    expect(
      cleanProfile({
        first_name: 'a'.repeat(1_000),
        last_name: ' ',
        keywords: ['x', 'x', ' ', 'me@ordinary.example'],
        profile_badges: [''],
        follower_count: 0,
        website: 'https://ordinary.example/?write=ada%40ordinary.example',
      }),
    ).toEqual({ first_name: 'a'.repeat(200), keywords: ['x'], follower_count: 0 });
  });

  it('holds no email address, and tidying it again changes nothing', () => {
    const email = fc.emailAddress({ size: 'small' });
    const text = fc.array(fc.oneof(email, fc.string(), fc.constantFrom(' ', ',', '<', '>', '(')), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(text, parts => {
        const clean = cleanText(parts.join(''), 200) ?? '';
        // Host names contain no underscores (RFC 1123 section 2.1).
        expect(clean).not.toMatch(/[\w-]@[a-z\d-]+\.[a-z\d-]/i);
        expect(cleanText(clean, 200) ?? '').toBe(clean);
      }),
      { numRuns: 500, examples: [[['0@', '0._']], [['x@a_b.c']]] },
    );
  });
});
