import { OperatorError } from '@mailproof/service-kit/operator-command';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

interface JsonOption {
  readonly json?: true;
}

const reportEvery = 0.1;

export function addLookalikeCommands(program: Command, context: CommandContext): void {
  const lookalikes = program
    .command('lookalikes')
    .description('Manage the model that finds lookalike companies.');
  lookalikes
    .command('build')
    .description('Build a new model now; running services load it automatically.')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      let told = 0;
      const result = await context.withOperator(operator =>
        operator.lookalikes.build(done => {
          if (done >= told + reportEvery) {
            told = done;
            process.stderr.write(`${Math.floor(done * 100)} %\n`);
          }
        }, context.signal),
      );
      if (json) {
        process.stdout.write(`${JSON.stringify(result)}\n`);
      } else if (result.outcome === 'built') {
        process.stdout.write(`Built from ${result.companies} companies and ${result.terms} words.\n`);
      }
      if (result.outcome === 'left_to_another') {
        throw new OperatorError('A running service is already building a model.');
      }
      if (result.outcome === 'too_few_companies') {
        throw new OperatorError(`Only ${result.companies} companies have a description.`);
      }
    });
  lookalikes
    .command('status')
    .description('Show the current model; the exit code is 1 if there is none.')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const standing = await context.withOperator(operator => operator.lookalikes.standing());
      if (json) {
        process.stdout.write(`${JSON.stringify(standing)}\n`);
      } else if (standing !== null) {
        const { modelNo, companies, terms, dimensions, builtAt } = standing;
        process.stdout.write(
          `Model ${modelNo} of ${builtAt.toISOString()}: ${companies} companies, ${terms} words, ${dimensions} dimensions.\n`,
        );
      }
      if (standing === null) {
        context.setExitCode(1);
        process.stderr.write('No model stands yet.\n');
      }
    });
}
