import { OperatorError } from '@mailproof/service-kit';
import { type AccountId, type ApiKeyId, accountId, apiKeyId } from '@mailproof/shared-types';
import type { Command } from 'commander';
import { rotateSealedKeys } from '../domain/keys/rotate-sealed-keys.ts';
import { idOf, jsonOption, print, type WithOperator } from './command-parts.ts';

interface JsonOption {
  readonly json?: true;
}

/** Commands on API keys. */
export function addKeyCommands(program: Command, withOperator: WithOperator): void {
  const key = program
    .command('key')
    .description('API keys: regenerate and revoke them, seal their copies under a new key-encryption key.');
  jsonOption(key.command('regenerate'))
    .description('Give an account a new key and make the one before invalid from the next request on.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .action((id: AccountId, options: JsonOption) =>
      withOperator(async ({ keys, sealer }) => {
        const made = await keys.regenerate(id, new Date());
        if (!made) {
          throw new OperatorError(`There is no account ${id}.`);
        }
        print(options.json, made, `API key ${made.apiKey} (${made.apiKeyId})`);
        if (!sealer) {
          process.stderr.write('Without KEY_ENCRYPTION_KEYS no copy is kept: the key is shown this once.\n');
        }
      }),
    );
  jsonOption(key.command('revoke'))
    .description(
      'Make a key invalid from the next request on; the account has none until one is regenerated.',
    )
    .argument('<key-id>', 'the key’s id, as `account show` tells it', idOf(apiKeyId))
    .action((id: ApiKeyId, options: JsonOption) =>
      withOperator(async ({ accounts }) => {
        if (!(await accounts.revokeKey(id))) {
          throw new OperatorError(`There is no active key ${id}.`);
        }
        print(options.json, { apiKeyId: id, revoked: true }, `Revoked ${id}.`);
      }),
    );
  addRotate(key, withOperator);
}

function addRotate(key: Command, withOperator: WithOperator): void {
  jsonOption(key.command('rotate'))
    .description('Seal every copy under the first of KEY_ENCRYPTION_KEYS; can be broken off and run again.')
    .action((options: JsonOption) =>
      withOperator(async ({ keys, sealer }) => {
        if (!sealer) {
          throw new OperatorError('Set KEY_ENCRYPTION_KEYS to the ring that the gateways have.');
        }
        const rotation = await rotateSealedKeys({ keys, sealer }, (done, total) => {
          process.stderr.write(`${done} of ${total} looked at.\n`);
        });
        const sealedUnder = `Sealed ${rotation.resealed} under ${sealer.currentKid}.`;
        print(options.json, { ...rotation, kid: sealer.currentKid }, sealedUnder);
        if (rotation.failed.length > 0) {
          throw new OperatorError(
            `${rotation.failed.length} could not be opened by any key of the ring: ${rotation.failed.slice(0, 10).join(', ')}. Keep the earlier keys in the ring, or let their owners regenerate.`,
          );
        }
      }),
    );
}
