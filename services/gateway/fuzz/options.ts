import { randomInt } from 'node:crypto';
import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command } from 'commander';

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
    .option(
      '--seed <number>',
      'the same seed makes the same requests',
      wholeNumberArgument(0, 2 ** 31),
      randomInt(2 ** 31),
    )
    .option('--examples <number>', 'random requests for each operation', wholeNumberArgument(1), 60)
    .option('--time-limit-minutes <number>', 'the most time for each document', wholeNumberArgument(1), 10)
    .option('--operation <id>', 'ask this operation alone; may be repeated', appended, [])
    .parse([...args], { from: 'user' })
    .opts<FuzzOptions>();
}

function appended(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
