import { describe, expect, it } from '@jest/globals';
import {
  destinationOf,
  emptyDestination,
  optionsOf,
  readableRow,
  sentWith,
  testRowWords,
} from './destination-form.ts';

const typed = { ...emptyDestination, url: ' https://receiver.example/hook ' };
const withHeader = { ...typed, headerValue: ' Bearer x ' };

describe('an entered destination', () => {
  it('contains only what was entered', () => {
    expect(destinationOf(withHeader)).toEqual({ url: 'https://receiver.example/hook' });
    expect(destinationOf({ ...withHeader, hasHeader: true })).toEqual({
      url: 'https://receiver.example/hook',
      header: { name: 'Authorization', value: 'Bearer x' },
    });
  });

  it('keeps the secret of the test row, unless another one is entered', () => {
    expect(destinationOf(typed, 'whsec_made').signing_secret).toBe('whsec_made');
    expect(destinationOf({ ...typed, signingSecret: 'whsec_typed' }, 'whsec_made').signing_secret).toBe(
      'whsec_typed',
    );
  });

  it('has a maximum rate if one is entered', () => {
    expect(optionsOf(typed)).toEqual({});
    expect(optionsOf({ ...typed, preset: 'clay', perSecondMax: '2.5' })).toEqual({
      preset: 'clay',
      rows_per_second_max: 2.5,
    });
  });

  it('must be tested again after a change', () => {
    expect(sentWith({ ...typed, url: 'https://receiver.example/other' })).not.toBe(sentWith(typed));
    expect(sentWith({ ...typed, perSecondMax: '4' })).toBe(sentWith(typed));
  });
});

describe('a test row', () => {
  it('has arrived', () => {
    const words = testRowWords({ outcome: 'delivered', status_code: 201, failure: null, elapsed_ms: 1_234 });
    expect(words).toMatchObject({ tone: 'good', title: 'Row delivered: status 201 after 1,234 ms' });
  });

  it('that has to wait is not a failure', () => {
    const words = testRowWords({ outcome: 'throttled', status_code: 429, failure: null, elapsed_ms: 3 });
    expect(words.tone).toBe('caution');
    expect(words.advice).toContain('loses no row');
  });

  it('that failed says why, and whether the receiver answered', () => {
    const failure = { reason: 'unreachable', detail: 'The receiver does not answer.' } as const;
    const words = testRowWords({ outcome: 'failed', status_code: null, failure, elapsed_ms: 3 });
    expect(words).toEqual({
      tone: 'bad',
      title: 'Row not delivered: no response after 3 ms',
      advice: 'The receiver does not answer.',
    });
  });

  it('is read a field a line', () => {
    expect(readableRow('{"name":"Ada","valid":true}')).toBe('{\n  "name": "Ada",\n  "valid": true\n}');
    expect(readableRow('{"name":')).toBe('{"name":');
  });
});
