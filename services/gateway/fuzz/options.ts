import { randomInt } from 'node:crypto';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command, Option } from 'commander';

export interface FuzzOptions {
  readonly seed: number;
  /** Examples of each operation, in addition to those that cover the bounds of its schema. */
  readonly examples: number;
  readonly timeLimitMinutes: number;
  /** The name of the only document to read; both if undefined. */
  readonly document?: string;
  /** The ids of the only operations to call; all if empty. */
  readonly operation: readonly string[];
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): FuzzOptions {
  return new Command('pnpm test:fuzz')
    .description(
      'Start the whole system on the mail lab, and send it the requests that schemathesis generates from both OpenAPI documents. A 5xx response is a failure, and so is a status, content type, header or body that is not in the documents.',
    )
    .option(
      '--seed <number>',
      'seed of the random requests',
      wholeNumberArgument(0, 2 ** 31),
      randomInt(2 ** 31),
    )
    .option('--examples <number>', 'random requests for each operation', wholeNumberArgument(1), 20)
    .option('--time-limit-minutes <number>', 'maximum time for each document', wholeNumberArgument(1), 30)
    .addOption(
      new Option('--document <name>', 'read only this document').choices([
        'openapi.json',
        'openapi-app.json',
      ]),
    )
    .option('--operation <id>', 'test only this operation; can be repeated', appended, [])
    .parse([...args], { from: 'user' })
    .opts<FuzzOptions>();
}

function appended(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
