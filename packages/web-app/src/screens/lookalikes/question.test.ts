import { expect, it } from '@jest/globals';
import { ProblemError } from '../../api/problem.ts';
import { domainFaults, emptyQuestion, lessLike, moreLike, withFilter, without } from './question.ts';

it('leaves a filter without values out', () => {
  expect(withFilter({ countries: ['DE'], industries: ['banking'] }, 'countries', [])).toEqual({
    industries: ['banking'],
  });
  expect(withFilter({}, 'countries', ['FR'])).toEqual({ countries: ['FR'] });
});

it('has a company on one side of a question alone', () => {
  const question = { ...emptyQuestion, seed_domains: ['one.example', 'two.example'] };
  const less = lessLike(question, 'two.example');
  expect([less.seed_domains, less.unlike_domains]).toEqual([['one.example'], ['two.example']]);
  const more = moreLike(less, 'two.example');
  expect([more.seed_domains, more.unlike_domains]).toEqual([['one.example', 'two.example'], []]);
  // Whoever presses twice has asked for the same.
  expect(moreLike(more, 'two.example')).toEqual(more);
  expect(without(question, 'x.example').filters).toEqual({ excluded_domains: ['x.example'] });
});

it('finds whose fault it is', () => {
  const problem = new ProblemError({
    title: 'None of the seeds can be compared',
    errors: [
      { pointer: '/seed_domains/1', detail: 'The store does not hold two.example.' },
      { pointer: '/filters/countries/0', detail: 'No such country.' },
    ],
  });
  expect([...domainFaults(problem, 'seed_domains', ['one.example', 'two.example'])]).toEqual([
    ['two.example', 'The store does not hold two.example.'],
  ]);
  expect(domainFaults(undefined, 'seed_domains', ['one.example']).size).toBe(0);
});
