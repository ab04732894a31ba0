import { type AccountId, accountId } from '@mailproof/shared-types';
import type { Command } from 'commander';
import { idOf, type WithOperator } from './command-parts.ts';

/** Commands on deletions; what they are for is in docs/privacy.md. */
export function addDeletionCommands(account: Command, withOperator: WithOperator): void {
  account
    .command('deletions')
    .description('List the ids of deleted accounts with the time, one a line, for whoever keeps backups.')
    .action(() =>
      withOperator(async ({ deletions }) => {
        for await (const { accountId: id, deletedAt } of deletions.list()) {
          process.stdout.write(`${id}\t${deletedAt.toISOString()}\n`);
        }
      }),
    );
  account
    .command('forget')
    .description('Delete an account for good, or repeat its deletion after an old backup was restored.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .requiredOption('--for-good', 'because nothing brings it back')
    .action((id: AccountId) =>
      withOperator(async ({ deletions }) => {
        await deletions.repeat(id, new Date());
        process.stdout.write(`Deleted ${id}; the other services follow.\n`);
      }),
    );
}
