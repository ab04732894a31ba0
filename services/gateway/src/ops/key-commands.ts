import { type AccountId, accountId, apiKeyId } from '@mailproof/shared-types';
import type { Command } from 'commander';
import type { AccountStore } from '../domain/account.ts';
import { idOf, OperatorError, print, type WithAccounts } from './command-parts.ts';

/** Commands on API keys. */
export function addKeyCommands(program: Command, withAccounts: WithAccounts): void {
  const key = program.command('key').description('API keys: create and revoke them.');
  key
    .command('create')
    .description('Create a further key for an account; it is shown this once.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .option('--json', 'answer in JSON')
    .action((id: AccountId, options: { json?: true }) =>
      withAccounts(async accounts => {
        const made = await accounts.addKey(id);
        if (!made) {
          throw new OperatorError(`There is no account ${id}.`);
        }
        print(options.json, made, `API key ${made.apiKey} (${made.apiKeyId})`);
      }),
    );
  key
    .command('revoke')
    .description('Make a key invalid from the next request on.')
    .argument('<key-id>', 'the key’s id, as its creation answered it', idOf(apiKeyId))
    .action((id: Parameters<AccountStore['revokeKey']>[0]) =>
      withAccounts(async accounts => {
        if (!(await accounts.revokeKey(id))) {
          throw new OperatorError(`There is no active key ${id}.`);
        }
        process.stdout.write(`Revoked ${id}.\n`);
      }),
    );
}
