import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command, InvalidArgumentError } from 'commander';
import type { Fault } from './faults/fault.ts';
import { faults } from './faults/index.ts';
import { recoverySecondsMax } from './run-fault.ts';

export interface FaultsOptions {
  /** All of them, unless some are chosen. */
  readonly only?: readonly Fault[];
  readonly rows: number;
  readonly timeLimitMinutes: number;
  readonly json?: true;
  readonly write?: true;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readFaultsOptions(args: readonly string[]): FaultsOptions {
  return new Command('pnpm faults')
    .description(
      'Breaks a whole Mailproof of its own in every way that it knows, one fault after the other, while customers validate single addresses, call tools, have a list validated and rows pushed; then looks at every answer, row, delivery and credit.',
    )
    .option(
      '--only <names>',
      'these faults, comma-separated; `kill` means all that begin with it; all of them otherwise',
      choose,
    )
    .option('--rows <number>', 'rows of each list', wholeNumberArgument(20, 5_000), 300)
    .option('--time-limit-minutes <number>', 'gives up after so long', wholeNumberArgument(1, 600), 120)
    .option('--json', 'print one JSON object in place of the table')
    .option('--write', 'write the table into docs/reliability.md too')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<FaultsOptions>();
}

function choose(names: string): readonly Fault[] {
  const wanted = names.split(',').map(name => name.trim());
  const unknown = wanted.filter(name => !faults.some(fault => isMeant(fault, name)));
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no fault ${unknown.join(', ')}.`);
  return faults.filter(fault => wanted.some(name => isMeant(fault, name)));
}

function isMeant(fault: Fault, name: string): boolean {
  return fault.name === name || fault.name.startsWith(`${name}-`);
}

const help = `
Faults:
${faults.map(({ name, title }) => `  ${name.padEnd(26)}${title}`).join('\n')}

Postgres, Redis, the mail hosts and the receiver of the pushes are the command's own. Recovery is the time
from the moment at which everything is whole again to the first success of the slowest kind of work. An
attempt that is answered with "later", or not at all, is made again as a good client does, and counts as
refused; a request, row or delivery that never comes counts as lost.

Exit codes:
  0  every fault was held: nothing lost, nothing charged twice, every recovery within ${recoverySecondsMax} s, no
     request failed in a rolling restart, and the ledger contradicts itself nowhere
  1  it was otherwise, the time was over, or the usage was wrong`;
