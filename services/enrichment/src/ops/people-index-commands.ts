import { OperatorError } from '@mailproof/service-kit/operator-command';
import type { Command } from 'commander';
import { type CommandContext, createProgress, number } from './command-context.ts';

export function addPeopleIndexCommands(program: Command, context: CommandContext): void {
  const index = program.command('people-index').description('Manage the index of people in a search engine.');
  index
    .command('status')
    .description('Show how many people the index has, and how far it is behind the store.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const { status, changesWaiting } = await context.withOperator(operator => operator.readPeopleIndex());
      const lagSeconds =
        status.state === 'ready' ? (Date.now() - status.refreshedAt.getTime()) / 1_000 : undefined;
      const { state, people } = status;
      const text =
        status.state === 'ready'
          ? `${number(people)} people, ${lagSeconds?.toFixed(1)} s behind the store; ${number(changesWaiting)} changes wait.`
          : `The first index is filled: ${number(people)} of ${number(status.peopleExpected)} people.`;
      process.stdout.write(
        json ? `${JSON.stringify({ state, people, lagSeconds, changesWaiting })}\n` : `${text}\n`,
      );
    });
  index
    .command('rebuild')
    .description('Fill a new index while searches use the current one, or continue an interrupted rebuild.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const progress = createProgress(process.stderr, () => performance.now());
      const people = await context
        .withOperator(operator =>
          operator.rebuildPeopleIndex(
            (done, expected) => progress.tell(done, done / Math.max(expected, 1)),
            context.signal,
          ),
        )
        .finally(() => progress.end());
      if (people === undefined) {
        throw new OperatorError('Another process is already filling an index.');
      }
      process.stdout.write(
        json ? `${JSON.stringify({ people })}\n` : `Searches use a new index of ${number(people)} people.\n`,
      );
    });
}
