import { InvalidArgumentError } from 'commander';

/**
 * Reads a whole number that was given to a command, in digits alone: `Number` would take `1e3`, `0x10` and nothing at
 * all for numbers, too. Both bounds are allowed; what lies outside is refused with a sentence that names them.
 */
export function wholeNumberArgument(minimum: number, maximum = 999_999_999) {
  return (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= minimum && number <= maximum)) {
      throw new InvalidArgumentError(`Give a whole number from ${minimum} to ${maximum}.`);
    }
    return number;
  };
}
