import { describe, expect, it } from '@jest/globals';
import { pagesOf, rowsPerPage } from './seen-pages.ts';

describe('pages that are seen', () => {
  it('are those in which the first and the last place are, and all between', () => {
    expect(pagesOf(0, 10)).toEqual([0]);
    expect(pagesOf(rowsPerPage - 1, rowsPerPage)).toEqual([0, 1]);
    expect(pagesOf(250, 250 + rowsPerPage)).toEqual([2, 3]);
    expect(pagesOf(49_999, 49_999)).toEqual([499]);
  });
});
