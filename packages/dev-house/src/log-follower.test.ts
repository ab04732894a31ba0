import { expect, test } from '@jest/globals';
import { errorIn } from './log-follower.ts';

test.each([
  ['{"level":"info","message":"listening"}', undefined],
  ['{"level":"error","message":"no answer","err":{"message":"timeout"}}', 'no answer: timeout'],
  ['{"level":"fatal","message":"gone"}', 'gone'],
  ['Error: a crash of Node itself', 'Error: a crash of Node itself'],
  ['', undefined],
])('shows errors and nothing else of a log: %s', (line, shown) => {
  expect(errorIn(line)).toBe(shown);
});
