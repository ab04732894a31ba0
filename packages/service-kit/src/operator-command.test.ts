import { describe, expect, test } from '@jest/globals';
import { wholeNumberArgument } from './operator-command.ts';

describe('a whole number given to a command', () => {
  test.each([
    ['5', 5],
    ['007', 7],
    ['10', 10],
  ])('reads %s', (text, number) => {
    expect(wholeNumberArgument(5, 10)(text)).toBe(number);
  });

  test.each(['4', '11', '', ' 7', '7.0', '1e1', '0x7', '-7', '7 '])(
    'refuses “%s” and names the bounds',
    text => {
      expect(() => wholeNumberArgument(5, 10)(text)).toThrow('Enter a whole number from 5 to 10.');
    },
  );
});
