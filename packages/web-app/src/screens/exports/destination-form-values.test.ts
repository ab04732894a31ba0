import { describe, expect, it } from '@jest/globals';
import { destinationOf, emptyDestination, optionsOf, sentWith } from './destination-form-values.ts';

const typed = { ...emptyDestination, url: ' https://receiver.example/hook ' };
const withHeader = { ...typed, headerValue: ' Bearer x ' };

describe('a destination that was typed', () => {
  it('has what was asked for and nothing else', () => {
    expect(destinationOf(withHeader)).toEqual({ url: 'https://receiver.example/hook' });
    expect(destinationOf({ ...withHeader, hasHeader: true })).toEqual({
      url: 'https://receiver.example/hook',
      header: { name: 'Authorization', value: 'Bearer x' },
    });
  });

  it('keeps the secret of the test row, unless another one was typed', () => {
    expect(destinationOf(typed, 'whsec_made').signing_secret).toBe('whsec_made');
    expect(destinationOf({ ...typed, signingSecret: 'whsec_typed' }, 'whsec_made').signing_secret).toBe(
      'whsec_typed',
    );
  });

  it('has a ceiling where one was typed', () => {
    expect(optionsOf(typed)).toEqual({});
    expect(optionsOf({ ...typed, preset: 'clay', perSecondMax: '2.5' })).toEqual({
      preset: 'clay',
      rows_per_second_max: 2.5,
    });
  });

  it('has to be tested again once it is another one', () => {
    expect(sentWith({ ...typed, url: 'https://receiver.example/other' })).not.toBe(sentWith(typed));
    expect(sentWith({ ...typed, perSecondMax: '4' })).toBe(sentWith(typed));
  });
});
