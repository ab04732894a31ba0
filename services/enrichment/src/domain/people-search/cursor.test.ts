import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { peopleCursor, placeOfCursor } from './cursor.ts';

const filters = { job_titles: ['CEO'], countries: ['DE'] };

describe('a cursor of people', () => {
  it('leads to its place, for its filters in whatever order alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), after => {
        const cursor = peopleCursor(filters, after);
        expect(placeOfCursor({ countries: ['DE'], job_titles: ['CEO'] }, cursor)).toBe(after);
        expect(placeOfCursor({ ...filters, job_title_match: undefined }, cursor)).toBe(after);
        expect(placeOfCursor({ ...filters, countries: ['FR'] }, cursor)).toBeUndefined();
      }),
    );
  });

  it('is refused when anything about it was changed', () => {
    const cursor = peopleCursor(filters, 77);
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_='), (at, letter) => {
        const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1);
        fc.pre(changed !== cursor);
        expect(placeOfCursor(filters, changed)).toBeUndefined();
      }),
    );
    for (const made of ['', 'x', `${cursor}A`, ` ${cursor}`, 'é'.repeat(30), '0'.repeat(1_000)]) {
      expect(placeOfCursor(filters, made)).toBeUndefined();
    }
  });
});
