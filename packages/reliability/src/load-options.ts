import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command } from 'commander';
import { p99MsMax, slopeMiBPerMinuteMax, slopeMinutesMin } from './load/load-table.ts';

export interface LoadOptions {
  readonly minutes: number;
  readonly rate?: number;
  readonly json?: true;
  readonly write?: true;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readLoadOptions(args: readonly string[]): LoadOptions {
  return new Command('pnpm load')
    .description(
      'Finds how many cached validations a second a whole Mailproof of its own answers, then keeps it busy at half of that with validations, balances, tool calls and jobs together, and prints times, errors, memory and event loops.',
    )
    .option('--minutes <number>', 'length of the load', wholeNumberArgument(1, 1_440), 10)
    .option(
      '--rate <number>',
      'cached validations a second, in place of half the peak',
      wholeNumberArgument(1, 20_000),
    )
    .option('--json', 'print one JSON object in place of the tables')
    .option('--write', 'write the tables into docs/reliability.md too')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<LoadOptions>();
}

const help = `
Requests are sent at random moments (a Poisson process) by a process of its own, each when it is due,
whatever became of those before; its time is counted from then. For twenty validations there is one GET
/me, for fifty one call of the validation tool; every 15 seconds a list of 200 rows is validated.

Exit codes:
  0  p99 of a cached validation is at most ${p99MsMax} ms, no request failed, and no service grew by more than
     ${slopeMiBPerMinuteMax} MiB a minute over the last four fifths of the time (judged from ${slopeMinutesMin} minutes on)
  1  it was otherwise, or the usage was wrong`;
