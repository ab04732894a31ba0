import { describe, expect, test } from '@jest/globals';
import {
  alikeDraws,
  keyedRandom,
  type MadeUpRecipient,
  makeUpRecipients,
  speaksFor,
} from './made-up-recipients.ts';

const key = new TextEncoder().encode('a key');
const madeUpFor = (localPart: string, domain = 'a.example', isCrowded = false) =>
  makeUpRecipients(form => keyedRandom(key, `${domain} ${form}`, 0), localPart, isCrowded);
const alikeOf = (localPart: string, domain?: string, isCrowded?: boolean) =>
  madeUpFor(localPart, domain, isCrowded).flatMap(made => (made.shape === 'alike' ? [made.localPart] : []));
const domains = Array.from({ length: 200 }, (_, index) => `d${index}.example`);

describe('made-up recipients', () => {
  test.each([
    ['hello', /^[a-z]{5}$/],
    ['ada.lovelace', /^[a-z]{3}\.[a-z]{8}$/],
    ['a.lovelace', /^[a-z]\.[a-z]{8}$/],
    ['adal1815', /^[a-z]{4}\d{4}$/],
    ['ada_l-x', /^[a-z]{3}_[a-z]-[a-z]$/],
    ['ada+news', /^[a-z]{3}\+[a-z]{4}$/],
    ['12345', /^\d{5}$/],
    ['jörg', /^[a-z]{4}$/],
    ['two words', /^"[a-z]{3} [a-z]{5}"$/],
    ['a"b\\c', /^"[a-z]\\"[a-z]\\\\[a-z]"$/],
    ['ada%b.example', /^[a-z]{3}%[a-z]\.[a-z]{7}$/],
    ['b.example!ada', /^[a-z]\.[a-z]{7}![a-z]{3}$/],
    ['.ada..x.', /^[a-z]{3}\.[a-z]$/],
    ['@@', /^"@@[a-z]{9}"$/],
    ['--', /^--[a-z]{9}$/],
    ['ABCDEFGHIJKL', /^[a-z]{12}$/],
  ])('of %s have its form each time, and no run of consonants', (localPart, form) => {
    for (const domain of domains) {
      const alike = alikeOf(localPart, domain);
      expect(alike).toEqual(Array.from({ length: alikeDraws }, () => expect.stringMatching(form)));
      expect(alike.join(' ')).not.toMatch(/[bcdfghjklmnpqrstvwxz]{3}|[aeiou]{2}/);
    }
  });

  test.each([
    ['hello', /^h.*o$/],
    ['a.lovelace', /^a\..*e$/],
    ['ada.b', /^a/],
    ['Ada1815', /^a/],
    ['7ada', /^\d[a-z]+$/],
    ['_marten', /^_.*n$/],
  ])('of %s begin and end as it does', (localPart, ends) => {
    for (const domain of domains) {
      for (const crowded of [false, true]) {
        const all = alikeOf(localPart, domain, crowded);
        expect(all).toEqual(Array.from({ length: alikeDraws }, () => expect.stringMatching(ends)));
      }
    }
  });

  test('of one domain and form are the same each time, and others elsewhere', () => {
    expect(alikeOf('hello')).toEqual(alikeOf('halpo'));
    expect(alikeOf('hello')).not.toEqual(alikeOf('sales'));
    expect(alikeOf('hello')).not.toEqual(alikeOf('hello', 'b.example'));
    const random = (localPart: string) => madeUpFor(localPart).filter(({ shape }) => shape === 'random');
    expect(random('hello')).toEqual(random('ada.lovelace'));
    expect(random('hello')).toEqual([
      { shape: 'random', localPart: expect.stringMatching(/^[bdfgjkmnprstvz]{12,16}\d{0,3}$/) },
    ]);
  });

  test('are all different from each other and from the address, also where the form has few names', () => {
    for (const localPart of ['a', '7', 'ab', ...alikeOf('hello')]) {
      for (const domain of domains) {
        expect(new Set([localPart, ...alikeOf(localPart, domain)]).size).toBe(1 + alikeDraws);
      }
    }
  });

  test('have nine characters at least where millions choose their names', () => {
    for (const localPart of ['ada', '1815', 'a.b']) {
      expect(alikeOf(localPart, 'mail.example', true).every(({ length }) => length === 9)).toBe(true);
    }
    expect(alikeOf('ada.lovelace', 'mail.example', true)[0]).toHaveLength(12);
  });
});

describe('what is said of a made-up recipient', () => {
  const named = (localPart: string): MadeUpRecipient => ({ shape: 'alike', localPart });

  test.each([
    ['tobin', 'karuvemi', true],
    ['tobin', 'karuvemid', false],
    ['karuve', 'tobin', false],
    ['karuvemidozun', 'karuvemidozunkaruvemidozun', true],
    ['tob.karuv', 'to.karuve', true],
    ['tobin', 't.bin', false],
    ['tobin', 'tobi5', false],
    ['tobi52', 'tob523', true],
    ['5tobin', 'tobin5', false],
    ['to5bin', 'tobin5', false],
    ['tobin', '"to in"', false],
    ['tob%in', 'tob.in', false],
    ['"to in"', '"ka ru"', true],
  ])('(%s) speaks for %s: %s', (one, other, speaks) => {
    expect(speaksFor(named(one), named(other))).toBe(speaks);
  });
});

const take = (subject: string, nowMs: number, ofKey = key) => {
  const random = keyedRandom(ofKey, subject, nowMs);
  return [random(), random(), random()];
};

describe('keyed random numbers', () => {
  test('are the same for a subject within the week, and others a week later', () => {
    expect(take('a.example', 0)).toEqual(take('a.example', 6 * 24 * 3_600_000));
    expect(take('a.example', 0)).not.toEqual(take('a.example', 7 * 24 * 3_600_000));
  });

  test('differ by subject and by key', () => {
    expect(take('a.example', 0)).not.toEqual(take('b.example', 0));
    expect(take('a.example', 0)).not.toEqual(take('a.example', 0, new TextEncoder().encode('another')));
  });

  test('lie between zero and one and do not repeat', () => {
    const numbers = take('a.example', 0);
    expect(numbers.every(number => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(3);
  });
});
