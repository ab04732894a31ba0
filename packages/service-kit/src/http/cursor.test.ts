import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readCursor, writeCursor } from './cursor.ts';

const position = z.tuple([z.string(), z.int()]);

describe('a cursor', () => {
  it('decodes to its input, and needs no escaping in a URL', () => {
    const cursor = writeCursor(['Žižka & Söhne?', 7]);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(readCursor(position, cursor)).toEqual(['Žižka & Söhne?', 7]);
  });

  it.each([
    ['nothing', ''],
    ['what was never written by this', 'not-a-cursor'],
    ['half of one', writeCursor(['a', 7]).slice(0, -4)],
    ['the position of another list', writeCursor(['a', 'b'])],
    ['a position and more', writeCursor(['a', 7, 8])],
  ])('refuses %s', (_, cursor) => {
    expect(() => readCursor(position, cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
});
