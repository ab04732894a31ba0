import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';
import { p99MsMax, slopeMiBPerMinuteMax, slopeMinutesMin } from './load/load-table.ts';

interface LoadOptions {
  readonly minutes: number;
  readonly rate?: number;
  readonly json?: true;
  readonly write?: true;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readLoadOptions(args: readonly string[]): LoadOptions {
  return new Command('pnpm load')
    .description(
      'Start a separate Mailproof and find how many cached validations per second it answers. Then send validations, balances, tool calls and jobs at half that rate, and print times, errors, memory and event loops.',
    )
    .option('--minutes <number>', 'length of the load', wholeNumberArgument(1, 1_440), 10)
    .option(
      '--rate <number>',
      'cached validations per second, instead of half the peak',
      wholeNumberArgument(1, 20_000),
    )
    .option('--json', 'print one JSON object instead of the tables')
    .option('--write', 'write the tables into docs/reliability.md too')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<LoadOptions>();
}

const help = `
A separate process sends requests at random moments (a Poisson process), each when it is due, even if
earlier ones are unanswered; its time is counted from then. For twenty validations there is one GET
/me, for fifty one call of the validation tool; every 15 seconds a list of 200 rows is validated.

Exit codes:
  0  p99 of a cached validation is at most ${p99MsMax} ms, no request failed, and no service grew by more than
     ${slopeMiBPerMinuteMax} MiB a minute over the last four fifths of the time (judged from ${slopeMinutesMin} minutes on)
  1  it was otherwise, or the usage was wrong`;

const page = join(projectRoot, 'docs/reliability.md');

/** Writes the measurements to the page, between the two marks with the given name. */
export async function writeTable(name: string, table: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no marks named ${name}.`);
  await writeFile(page, `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`);
}
