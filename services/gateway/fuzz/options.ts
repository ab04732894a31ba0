import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';

export interface FuzzOptions {
  readonly seed: number;
  /** Of each operation, besides those that walk along the bounds of its schema. */
  readonly examples: number;
  readonly timeLimitMinutes: number;
  /** The only operations to ask, by their ids; all of them where none is named. */
  readonly operation: readonly string[];
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): FuzzOptions {
  return new Command('pnpm test:fuzz')
    .description(
      'Starts the whole system on the mail lab and sends it what schemathesis makes up from both OpenAPI documents. An answer of 5xx, and any status, content type, header or body that the documents do not name, is a failure.',
    )
    .option('--seed <number>', 'the same seed makes the same requests', wholeNumber(0), randomInt(2 ** 31))
    .option('--examples <number>', 'random requests for each operation', wholeNumber(1), 60)
    .option('--time-limit-minutes <number>', 'the most time for each document', wholeNumber(1), 10)
    .option('--operation <id>', 'ask this operation alone; may be repeated', appended, [])
    .parse([...args], { from: 'user' })
    .opts<FuzzOptions>();
}

function wholeNumber(minimum: number) {
  return (text: string): number => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= minimum)) {
      throw new InvalidArgumentError(`Give a whole number from ${minimum}.`);
    }
    return number;
  };
}

function appended(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
