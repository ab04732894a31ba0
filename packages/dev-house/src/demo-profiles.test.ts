import { expect, test } from '@jest/globals';
import { readExamples } from './demo-profiles.ts';

const examples = { profileUrl: 'https://people.example/in/ada', companyDomains: ['a.example', 'b.example'] };

test('reads the examples from the last line', () => {
  expect(readExamples(`a warning\n${JSON.stringify({ added: 3_300, examples })}\n`)).toEqual(examples);
});

test.each(['', 'done', '{"added":1}', '{"examples":{"companyDomains":["a.example"]}}'])(
  'refuses an answer without examples: %j',
  output => {
    expect(() => readExamples(output)).toThrow();
  },
);
