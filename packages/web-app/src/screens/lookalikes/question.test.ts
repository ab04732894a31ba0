import { describe, expect, it } from '@jest/globals';
import { ProblemError } from '../../api/problem.ts';
import {
  domainFault,
  domainFaults,
  emptyQuestion,
  lessLike,
  moreLike,
  splitDomains,
  withFilter,
  without,
  withText,
} from './question.ts';

it('omits a filter without values', () => {
  expect(withFilter({ countries: ['DE'], industries: ['banking'] }, 'countries', [])).toEqual({
    industries: ['banking'],
  });
  expect(withFilter({}, 'countries', ['FR'])).toEqual({ countries: ['FR'] });
});

it('has a company on only one side of a search', () => {
  const question = { ...emptyQuestion, seed_domains: ['one.example', 'two.example'] };
  const less = lessLike(question, 'two.example');
  expect([less.seed_domains, less.unlike_domains]).toEqual([['one.example'], ['two.example']]);
  const more = moreLike(less, 'two.example');
  expect([more.seed_domains, more.unlike_domains]).toEqual([['one.example', 'two.example'], []]);
  // Pressing the button twice has no further effect.
  expect(moreLike(more, 'two.example')).toEqual(more);
  expect(without(question, 'x.example').filters).toEqual({ excluded_domains: ['x.example'] });
});

it('has a text only if it has words', () => {
  const question = withText(emptyQuestion, '  Dental clinics. ');
  expect(question).toEqual({ ...emptyQuestion, seed_text: 'Dental clinics.' });
  expect(withText(question, ' ')).toEqual(emptyQuestion);
});

it('finds the invalid field', () => {
  const problem = new ProblemError({
    title: 'No seed can be compared',
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

describe('pasted domains', () => {
  it('are found in URLs and email addresses, each once', () => {
    expect(
      splitDomains(
        'https://www.Ordinary.example/about?x=1, ordinary.example;\nada@other.example  third.example.',
      ),
    ).toEqual(['ordinary.example', 'other.example', 'third.example']);
  });

  it('have non-ASCII letters in the form of the store', () => {
    expect(splitDomains('bücher.example')).toEqual(['xn--bcher-kva.example']);
  });

  it('keep invalid entries, and report them', () => {
    for (const text of ['ordinary', '192.0.2.1', 'a..b', '-x.example']) {
      const [domain = ''] = splitDomains(text);
      expect([domain, domainFault(domain)]).toEqual([text, `${text} is not a valid domain.`]);
    }
    expect(domainFault('ordinary.example')).toBeUndefined();
  });

  it('are none in an empty text', () => {
    expect(splitDomains(' ,;\n')).toEqual([]);
  });
});
