import { describe, expect, it } from '@jest/globals';
import { jobListSearchOf, jobSearchOf, pagesOf, rowsPerPage, seenColumns, shownCount } from './job-search.ts';

const column = { name: 'x', exported_as: 'x', samples: [], address_share: 0 };

describe('the URL of a job’s screen', () => {
  it('is read if it is valid, and ignored otherwise', () => {
    expect(jobSearchOf({ show: 'ok', columns: '0-12', row: 3 })).toEqual({
      show: 'ok',
      columns: '0-12',
      row: 3,
    });
    expect(jobSearchOf({ show: 'toString', columns: '1;2', row: -1 })).toEqual({});
    expect(jobSearchOf({ columns: '' })).toEqual({ columns: '' });
    const earlier = `vjob_${'0'.repeat(32)}`;
    expect(jobSearchOf({ earlier })).toEqual({ earlier });
    expect(jobSearchOf({ earlier: earlier.replace('vjob', 'job') })).toEqual({});
    expect(jobSearchOf({ columns: 7 })).toEqual({ columns: '7' });
    expect(jobListSearchOf({ state: 'running' })).toEqual({ state: 'running' });
    expect(jobListSearchOf({ state: 'constructor', test: 'true' })).toEqual({});
    expect(jobListSearchOf({ test: true })).toEqual({ test: true });
  });
});

describe('visible columns', () => {
  const job = { columns: Array.from({ length: 9 }, () => column), address_column: 2 };

  it('are the first few after the address, until others were chosen', () => {
    expect(seenColumns(job, undefined)).toEqual([0, 1, 3, 4, 5]);
    expect(seenColumns(job, '8-2-0-99')).toEqual([0, 8]);
    expect(seenColumns(job, '')).toEqual([]);
  });
});

describe('the rows of a filter', () => {
  const job = {
    rows: { total: 10, valid: 7, broken: 2, blank: 1, duplicate: 3 },
    results: { ok: 3, catch_all_validated: 0, catch_all: 1, invalid: 2, unknown: 0 },
  };

  it('are counted by the job', () => {
    expect(shownCount(job, undefined)).toBe(10);
    expect(shownCount(job, 'duplicate')).toBe(3);
    expect(shownCount(job, 'invalid')).toBe(2);
    expect(shownCount(job, 'none')).toBe(4);
  });
});

describe('visible pages', () => {
  it('are those of the first and the last position, and all between', () => {
    expect(pagesOf(0, 10)).toEqual([0]);
    expect(pagesOf(rowsPerPage - 1, rowsPerPage)).toEqual([0, 1]);
    expect(pagesOf(250, 250 + rowsPerPage)).toEqual([2, 3]);
    expect(pagesOf(49_999, 49_999)).toEqual([499]);
  });
});
