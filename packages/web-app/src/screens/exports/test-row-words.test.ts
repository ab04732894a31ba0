import { describe, expect, it } from '@jest/globals';
import { readableRow, testRowWords } from './test-row-words.ts';

describe('a test row', () => {
  it('has arrived', () => {
    const words = testRowWords({ outcome: 'delivered', status_code: 201, failure: null, elapsed_ms: 1_234 });
    expect(words).toMatchObject({ tone: 'good', title: 'The row arrived: answered with 201 after 1,234 ms' });
  });

  it('that has to wait is no failure', () => {
    const words = testRowWords({ outcome: 'throttled', status_code: 429, failure: null, elapsed_ms: 3 });
    expect(words.tone).toBe('caution');
    expect(words.advice).toContain('loses no row');
  });

  it('that failed says why, and whether anybody answered', () => {
    const failure = { reason: 'unreachable', detail: 'Nobody is there.' } as const;
    const words = testRowWords({ outcome: 'failed', status_code: null, failure, elapsed_ms: 3 });
    expect(words).toEqual({
      tone: 'bad',
      title: 'The row did not arrive: no answer after 3 ms',
      advice: 'Nobody is there.',
    });
  });

  it('is read a field a line', () => {
    expect(readableRow('{"name":"Ada","valid":true}')).toBe('{\n  "name": "Ada",\n  "valid": true\n}');
    expect(readableRow('{"name":')).toBe('{"name":');
  });
});
