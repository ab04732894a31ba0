import { type AccountId, accountId } from '@mailproof/shared-types';
import type { Command } from 'commander';
import { idOf, type WithOperator } from './command-parts.ts';

/** Commands on deletions; docs/privacy.md explains their use. */
export function addDeletionCommands(account: Command, withOperator: WithOperator): void {
  account
    .command('deletions')
    .description(
      'List deleted accounts with their deletion time, one per line, to repeat deletions after a restore.',
    )
    .action(() =>
      withOperator(async ({ deletions }) => {
        for await (const { accountId: id, deletedAt } of deletions.list()) {
          process.stdout.write(`${id}\t${deletedAt.toISOString()}\n`);
        }
      }),
    );
  account
    .command('forget')
    .description('Permanently delete an account, or repeat its deletion after restoring an old backup.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .requiredOption('--for-good', 'required, because this cannot be undone')
    .action((id: AccountId) =>
      withOperator(async ({ deletions }) => {
        await deletions.repeat(id, new Date());
        process.stdout.write(`Deleted ${id}; the other services delete their data in the background.\n`);
      }),
    );
}
