import { circumstances, markdownTable } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command, InvalidArgumentError } from 'commander';
import { type Attack, attacks, memoryRatioMax, p99RatioMax } from './attacks/run-attacks.ts';
import type { Fault } from './faults/fault.ts';
import { faults } from './faults/index.ts';
import { type Outcome, recoverySecondsMax } from './run-fault.ts';
import type { FaultsRun } from './run-faults.ts';

interface FaultsOptions {
  /** The chosen faults; all faults by default. */
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
      'Inject every known fault, one after another, into a separate Mailproof while customers validate addresses and lists, call tools and push rows. Check every answer, row, delivery and credit. Finally, let hostile clients attack it while another customer works.',
    )
    .option(
      '--only <names>',
      'comma-separated faults; `kill` selects all that begin with it; defaults to all',
      choose,
      { faults, attacks },
    )
    .option('--rows <number>', 'rows of each list', wholeNumberArgument(20, 5_000), 300)
    .option('--attack-seconds <number>', 'length of each attack', wholeNumberArgument(5, 600), 60)
    .option('--time-limit-minutes <number>', 'stop after this many minutes', wholeNumberArgument(1, 600), 120)
    .option('--json', 'print one JSON object instead of the table')
    .option('--write', 'write the table into docs/reliability.md too')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<FaultsOptions>();
}

function choose(names: string): Chosen {
  const wanted = names.split(',').map(name => name.trim());
  const all = [...faults, ...attacks];
  const unknown = wanted.filter(name => !all.some(each => matchesName(each, name)));
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no fault ${unknown.join(', ')}.`);
  const isWanted = (each: { readonly name: string }) => wanted.some(name => matchesName(each, name));
  return { faults: faults.filter(isWanted), attacks: attacks.filter(isWanted) };
}

function matchesName(fault: { readonly name: string }, name: string): boolean {
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

const header = ['fault', 'recovery s', 'requests', 'refused meanwhile', 'lost', 'charged twice', 'verdict'];

/** The table, in Markdown that is also readable in a terminal, followed by all failures. */
export function faultsTable({ startedAt, rows, outcomes, left }: FaultsRun): string {
  const wrong = outcomes.flatMap(({ title, faults }) => faults.map(fault => `- ${title}: ${fault}`));
  const leftOut = left.map(({ title, reason }) => `- Left out: ${title}, since ${reason}.`);
  return [
    markdownTable(header, outcomes.map(rowOf)),
    ...(wrong.length > 0 ? [wrong.join('\n')] : []),
    ...(leftOut.length > 0 ? [leftOut.join('\n')] : []),
    `Lists of ${rows} rows. ${circumstances(startedAt)}`,
  ].join('\n\n');
}

function rowOf(outcome: Outcome): string[] {
  const refused = Object.entries(outcome.refused).map(([status, count]) => `${count} × ${status}`);
  return [
    outcome.title,
    Number.isFinite(outcome.recoverySeconds) ? outcome.recoverySeconds.toFixed(1) : 'never',
    String(outcome.requests),
    refused.join(', ') || '0',
    String(outcome.lost),
    String(outcome.chargedTwice),
    outcome.isHeld ? 'held' : 'BROKEN',
  ];
}
