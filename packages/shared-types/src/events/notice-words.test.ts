import { describe, expect, it } from '@jest/globals';
import { noticeWords } from './notice-words.ts';

describe('the words of a notice', () => {
  it.each([
    [29, 1, 30, 'An export is finished: 29 of 30 rows were delivered, and 1 failed.'],
    [1, 0, 1, 'An export is finished: 1 of 1 row was delivered.'],
  ])('count %i delivered and %i failed rows of %i as people do', (delivered, failed, total, text) => {
    const data = { export_id: 'exp_1', status: 'succeeded', rows: { delivered, failed, total } };
    expect(noticeWords({ type: 'export.finished', data }).text).toBe(text);
  });

  it('count one address as one', () => {
    const data = { job_id: 'vjob_1', state: 'succeeded', addresses: 1, done: 1, results: { ok: 1 } };
    expect(noticeWords({ type: 'validation_job.finished', data }).text).toBe(
      'A list with 1 address is finished. 1 has a result; 1 row is OK.',
    );
  });
});
