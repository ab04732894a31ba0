import { OperatorError } from '@mailproof/service-kit';
import type { Command } from 'commander';
import type { CommandRoom } from './program.ts';

interface JsonOption {
  readonly json?: true;
}

const tellEvery = 0.1;

export function addLookalikeCommands(program: Command, room: CommandRoom): void {
  const lookalikes = program
    .command('lookalikes')
    .description('The model that companies which look alike are found by.');
  lookalikes
    .command('build')
    .description('Build the model anew now; running services take it over by themselves.')
    .option('--json', 'answer in JSON')
    .action(async ({ json }: JsonOption) => {
      let told = 0;
      const result = await room.withOperator(operator =>
        operator.lookalikes.build(done => {
          if (done >= told + tellEvery) {
            told = done;
            process.stderr.write(`${Math.floor(done * 100)} %\n`);
          }
        }, room.signal),
      );
      if (json) {
        process.stdout.write(`${JSON.stringify(result)}\n`);
      } else if (result.outcome === 'built') {
        process.stdout.write(`Built from ${result.companies} companies and ${result.terms} words.\n`);
      }
      if (result.outcome === 'left_to_another') {
        throw new OperatorError('A running service builds a model already.');
      }
      if (result.outcome === 'too_few_companies') {
        throw new OperatorError(`Only ${result.companies} companies are described in words.`);
      }
    });
  lookalikes
    .command('status')
    .description('Say which model stands; the exit code is 1 where there is none.')
    .option('--json', 'answer in JSON')
    .action(async ({ json }: JsonOption) => {
      const standing = await room.withOperator(operator => operator.lookalikes.standing());
      if (json) {
        process.stdout.write(`${JSON.stringify(standing)}\n`);
      } else if (standing !== null) {
        const { modelNo, companies, terms, dimensions, builtAt } = standing;
        process.stdout.write(
          `Model ${modelNo} of ${builtAt.toISOString()}: ${companies} companies, ${terms} words, ${dimensions} dimensions.\n`,
        );
      }
      if (standing === null) {
        room.setExitCode(1);
        process.stderr.write('No model stands yet.\n');
      }
    });
}
