import { CommanderError, InvalidArgumentError } from 'commander';
import { ConfigError } from './config.ts';

/** Says in a sentence why an operator's command cannot be carried out. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Runs a command and returns its exit code; prints an error to standard error as a sentence. */
export async function exitCodeOf(command: () => Promise<unknown>): Promise<number> {
  try {
    await command();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed it. A request for help also ends here, with code 0.
      return error.exitCode;
    }
    const expected = error instanceof ConfigError || error instanceof OperatorError;
    const said = expected ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${said}\n`);
    return 1;
  }
}

/**
 * Reads a whole number from a command's argument, in digits only: `Number` would also accept `1e3`, `0x10` and the
 * empty string. Both bounds are inclusive; the error for a number outside them names them.
 */
export function wholeNumberArgument(minimum: number, maximum = 999_999_999) {
  return (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= minimum && number <= maximum)) {
      throw new InvalidArgumentError(`Enter a whole number from ${minimum} to ${maximum}.`);
    }
    return number;
  };
}
