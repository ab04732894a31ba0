import { OperatorError, wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import type { Command } from 'commander';
import { defaultSeed } from '../fixtures/seeded-random.ts';
import type { SyntheticExamples } from '../fixtures/synthesize.ts';
import { type CommandContext, createProgress, number } from './command-context.ts';

interface SynthesizeOptions {
  readonly seed: number;
  readonly companies?: number;
  readonly json?: true;
}

/** The number of people per company, unless the number of companies is given. */
const peoplePerCompany = 20;

export function addSynthesizeCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('synthesize')
    .description(
      'Load synthetic companies and people at .example domains; the same seed gives the same data.',
    );
  group
    .command('companies')
    .description('Generate companies.')
    .argument('<count>', 'number of companies', count(1))
    .option('--seed <number>', 'random seed', count(0), defaultSeed)
    .option('--json', 'print JSON')
    .action((companies: number, options: SynthesizeOptions) =>
      invent(context, { companies, people: 0 }, options),
    );
  group
    .command('people')
    .description('Generate people, and the companies they work for.')
    .argument('<count>', 'number of people', count(1))
    .option('--seed <number>', 'random seed', count(0), defaultSeed)
    .option(
      '--companies <count>',
      `number of companies; defaults to one per ${peoplePerCompany} people`,
      count(1),
    )
    .option('--json', 'print JSON')
    .action((people: number, options: SynthesizeOptions) => {
      const companies = options.companies ?? Math.ceil(people / peoplePerCompany);
      return invent(context, { companies, people }, options);
    });
}

async function invent(
  context: CommandContext,
  numbers: { readonly companies: number; readonly people: number },
  { seed, json }: SynthesizeOptions,
): Promise<void> {
  // Imported here, so that no other command and no service loads the generator.
  const { synthesize } = await import('../fixtures/synthesize.ts');
  const { syntheticExamples } = await import('../fixtures/synthesize.ts');
  const startedMs = Date.now();
  const progress = createProgress(process.stderr, Date.now);
  const made = await context.withOperator(async ({ store }) => {
    try {
      return await synthesize(store, {
        ...numbers,
        seed,
        now: () => new Date(),
        onProgress: (done, total) => json || progress.tell(done, done / total),
        signal: context.signal,
      });
    } catch (error) {
      throw context.signal.aborted ? new OperatorError('Stopped. Run the same command to continue.') : error;
    } finally {
      progress.end();
    }
  });
  const seconds = (Date.now() - startedMs) / 1_000;
  const rows = numbers.companies + numbers.people;
  const text = `Generated ${number(numbers.companies)} companies and ${number(numbers.people)} people with seed ${seed} in ${seconds.toFixed(1)} s, ${number(rows / seconds)} per second: ${number(made.added)} added, ${number(made.changed)} changed, ${number(made.unchanged)} unchanged.`;
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
