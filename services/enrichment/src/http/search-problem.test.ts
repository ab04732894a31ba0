import { describe, expect, it } from '@jest/globals';
import { PeopleIndexUnavailable, UnknownFilterValues } from '../domain/people-search/people-index.ts';
import { orSearchProblem } from './search-problem.ts';

describe('what the people index refuses', () => {
  it('is said with the progress and the time after which to try again', async () => {
    const loading = new PeopleIndexUnavailable('loading', 'It has taken up 5 of 9 people.', 5);
    await expect(orSearchProblem(Promise.reject(loading), '')).rejects.toMatchObject({
      code: 'search_not_ready',
      status: 503,
      detail: 'It has taken up 5 of 9 people.',
      headers: { 'retry-after': '5' },
    });
  });

  it('is said by pointers into the request', async () => {
    const values = [
      { pointer: '/cities/1', value: 'Berln', known: ['Berlin', 'Bern'], isWhole: false },
      { pointer: '/regions/0', value: 'X', known: [], isWhole: false },
    ];
    await expect(
      orSearchProblem(Promise.reject(new UnknownFilterValues(values)), '/filters'),
    ).rejects.toMatchObject({
      code: 'unknown_filter_value',
      status: 422,
      extra: {
        errors: [
          { pointer: '/filters/cities/1', detail: '"Berln" is unknown; similar values: "Berlin", "Bern".' },
          { pointer: '/filters/regions/0', detail: '"X" is unknown, and there are no similar values.' },
        ],
      },
    });
  });

  it('is nothing else: other errors are unchanged', async () => {
    const error = new Error('broken');
    await expect(orSearchProblem(Promise.reject(error), '')).rejects.toBe(error);
  });
});
