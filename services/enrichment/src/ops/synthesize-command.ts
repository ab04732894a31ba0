import { OperatorError, wholeNumberArgument } from '@mailproof/service-kit';
import type { Command } from 'commander';
import { synthesize } from '../domain/synthetic/synthesize.ts';
import { type SyntheticExamples, syntheticExamples } from '../domain/synthetic/synthetic-examples.ts';
import type { CommandRoom } from './program.ts';
import { createProgress, number } from './progress.ts';

interface SynthesizeOptions {
  readonly seed: number;
  readonly companies?: number;
  readonly json?: true;
}

/** People at a company, unless the number of companies is given. */
const peoplePerCompany = 20;

export function addSynthesizeCommands(program: Command, room: CommandRoom): void {
  const group = program
    .command('synthesize')
    .description(
      'Load invented companies and people at .example domains, marked as synthetic; the same seed gives the same.',
    );
  group
    .command('companies')
    .description('Invent companies.')
    .argument('<count>', 'how many', count(1))
    .option('--seed <number>', 'another seed gives others', count(0), 1)
    .option('--json', 'answer in JSON')
    .action((companies: number, options: SynthesizeOptions) =>
      invent(room, { companies, people: 0 }, options),
    );
  group
    .command('people')
    .description('Invent people, and the companies that they work for.')
    .argument('<count>', 'how many', count(1))
    .option('--seed <number>', 'another seed gives others', count(0), 1)
    .option(
      '--companies <count>',
      `how many companies; one for ${peoplePerCompany} people without it`,
      count(1),
    )
    .option('--json', 'answer in JSON')
    .action((people: number, options: SynthesizeOptions) => {
      const companies = options.companies ?? Math.ceil(people / peoplePerCompany);
      return invent(room, { companies, people }, options);
    });
}

async function invent(
  room: CommandRoom,
  numbers: { readonly companies: number; readonly people: number },
  { seed, json }: SynthesizeOptions,
): Promise<void> {
  const startedMs = Date.now();
  const progress = createProgress(process.stderr, Date.now);
  const made = await room.withOperator(async ({ store }) => {
    try {
      return await synthesize(store, {
        ...numbers,
        seed,
        now: () => new Date(),
        onProgress: (done, total) => json || progress.tell(done, done / total),
        signal: room.signal,
      });
    } catch (error) {
      throw room.signal.aborted ? new OperatorError('Stopped. The same command goes on.') : error;
    } finally {
      progress.end();
    }
  });
  const seconds = (Date.now() - startedMs) / 1_000;
  const rows = numbers.companies + numbers.people;
  const text = `Invented ${number(numbers.companies)} companies and ${number(numbers.people)} people with seed ${seed} in ${seconds.toFixed(1)} s, ${number(rows / seconds)} a second: ${number(made.added)} added, ${number(made.changed)} changed, ${number(made.unchanged)} unchanged.`;
  const examples = syntheticExamples({ ...numbers, seed });
  process.stdout.write(
    `${json ? JSON.stringify({ ...made, ...numbers, seed, seconds, examples }) : `${text}\n${examplesText(examples)}`}\n`,
  );
}

function examplesText({ profileUrl, companyDomains }: SyntheticExamples): string {
  const person = profileUrl === undefined ? '' : `One of the people is ${profileUrl}; c`;
  return `${person || 'C'}ompanies of one industry are ${companyDomains.join(', ')}.`;
}

function count(minimum: number) {
  return wholeNumberArgument(minimum, 100_000_000);
}
