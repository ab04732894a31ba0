import { describe, expect, test } from '@jest/globals';
import { noRepetitions, noteAnswer, noteWitness, steadinessOf } from './steadiness.ts';

/**
 * Notes answers about one recipient per word: `+` is an acceptance, `-` calls it missing, and capital letters are
 * answers about it as a witness: `A` accepts it, `R` refuses it.
 */
function steadinessAfter(answers: string, domain = 'a.example') {
  const repetitions = noRepetitions();
  for (const [index, word] of answers.split(' ').entries()) {
    for (const answer of word) {
      const note = /[AR]/.test(answer) ? noteWitness : noteAnswer;
      note(repetitions, { localPart: `name${index}`, domain: 'a.example' }, /[+A]/.test(answer));
    }
  }
  return steadinessOf(repetitions, domain);
}

describe('the steadiness of a host', () => {
  test.each([
    ['+ - + -', 'steady'],
    ['+++ --', 'steady'],
    ['++++ +++ +', 'steady'],
    ['++++ +++ ++', 'proven'],
    [`+- ${'+++++ '.repeat(13)}+-`, 'odd'],
    ['+-', 'odd'],
    ['+- -+', 'unsteady'],
    [`+- -+ ${'------- '.repeat(9)}`.trim(), 'unsteady'],
    ['+-+', 'unsteady'],
    [`+- -+ ${'+++ '.repeat(4)}+++`, 'unsteady'],
    [`+- -+ ${'+++ '.repeat(5)}+++`, 'odd'],
    [`+- ${'+++++ '.repeat(13)}`.trim(), 'steady'],
    ['+RR +R', 'steady'],
    ['+AAAAAAA', 'steady'],
    ['+RA', 'odd'],
    ['+R+', 'odd'],
    ['+RAR+', 'unsteady'],
  ])('after %s is %s', (answers, expected) => {
    expect(steadinessAfter(answers)).toBe(expected);
  });

  test('is that of one domain', () => {
    expect(steadinessAfter('+- -+', 'b.example')).toBe('steady');
  });

  test('forgets a recipient that it has not been asked about for long', () => {
    const repetitions = noRepetitions();
    noteAnswer(repetitions, { localPart: 'ada', domain: 'a.example' }, true);
    for (let index = 0; index < 100; index += 1) {
      noteAnswer(repetitions, { localPart: `name${index}`, domain: 'a.example' }, true);
    }
    noteAnswer(repetitions, { localPart: 'ada', domain: 'a.example' }, false);
    expect(steadinessOf(repetitions, 'a.example')).toBe('steady');
  });
});
