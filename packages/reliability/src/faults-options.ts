import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command, InvalidArgumentError } from 'commander';
import { type Attack, attacks, memoryRatioMax, p99RatioMax } from './attacks/run-attacks.ts';
import type { Fault } from './faults/fault.ts';
import { faults } from './faults/index.ts';
import { recoverySecondsMax } from './run-fault.ts';

export interface FaultsOptions {
  /** All of them, unless some are chosen. */
  readonly only: Chosen;
  readonly rows: number;
  readonly attackSeconds: number;
  readonly timeLimitMinutes: number;
  readonly json?: true;
  readonly write?: true;
}

interface Chosen {
  readonly faults: readonly Fault[];
  readonly attacks: readonly Attack[];
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readFaultsOptions(args: readonly string[]): FaultsOptions {
  return new Command('pnpm faults')
    .description(
      'Breaks a whole Mailproof of its own in every way that it knows, one fault after the other, while customers validate single addresses, call tools, have a list validated and rows pushed; then looks at every answer, row, delivery and credit. Last, hostile clients attack it while another customer works.',
    )
    .option(
      '--only <names>',
      'these faults, comma-separated; `kill` means all that begin with it; all of them otherwise',
      choose,
      { faults, attacks },
    )
    .option('--rows <number>', 'rows of each list', wholeNumberArgument(20, 5_000), 300)
    .option('--attack-seconds <number>', 'length of each attack', wholeNumberArgument(5, 600), 60)
    .option('--time-limit-minutes <number>', 'gives up after so long', wholeNumberArgument(1, 600), 120)
    .option('--json', 'print one JSON object in place of the table')
    .option('--write', 'write the table into docs/reliability.md too')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<FaultsOptions>();
}

function choose(names: string): Chosen {
  const wanted = names.split(',').map(name => name.trim());
  const all = [...faults, ...attacks];
  const unknown = wanted.filter(name => !all.some(each => isMeant(each, name)));
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no fault ${unknown.join(', ')}.`);
  const isWanted = (each: { readonly name: string }) => wanted.some(name => isMeant(each, name));
  return { faults: faults.filter(isWanted), attacks: attacks.filter(isWanted) };
}

function isMeant(fault: { readonly name: string }, name: string): boolean {
  return fault.name === name || fault.name.startsWith(`${name}-`);
}

const help = `
Faults:
${[...faults, ...attacks].map(({ name, title }) => `  ${name.padEnd(26)}${title}`).join('\n')}

Postgres, Redis, the mail hosts and the receiver of the pushes are the command's own. Recovery is the time
from the moment at which everything is whole again to the first success of the slowest kind of work. An
attempt that is answered with "later", or not at all, is made again as a good client does, and counts as
refused; a request, row or delivery that never comes counts as lost. A hostile client is a process apart;
the other customer's times are compared with those of the same load without it.

Exit codes:
  0  every fault was held: nothing lost, nothing charged twice, every recovery within ${recoverySecondsMax} s, no
     request failed in a rolling restart, the ledger contradicts itself nowhere, and an attack left the other
     customer's p99 within ${p99RatioMax} times and each service's memory within ${memoryRatioMax} times what it is without
  1  it was otherwise, the time was over, or the usage was wrong`;
