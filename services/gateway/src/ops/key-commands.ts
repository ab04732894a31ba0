import { OperatorError } from '@mailproof/service-kit/operator-command';
import { type AccountId, type ApiKeyId, accountId, apiKeyId } from '@mailproof/shared-types';
import type { Command } from 'commander';
import { rotateSealedKeys } from '../domain/keys/rotate-sealed-keys.ts';
import { idOf, jsonOption, print, type WithOperator } from './command-parts.ts';

interface JsonOption {
  readonly json?: true;
}

/** Commands on API keys. */
export function addKeyCommands(program: Command, withOperator: WithOperator): void {
  const key = program.command('key').description('Manage API keys: regenerate, revoke and re-encrypt them.');
  jsonOption(key.command('regenerate'))
    .description('Generate a new key for an account; the previous one is rejected from the next request on.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .action((id: AccountId, options: JsonOption) =>
      withOperator(async ({ keys, sealer }) => {
        const made = await keys.regenerate(id, new Date());
        if (!made) {
          throw new OperatorError(`Account ${id} not found.`);
        }
        print(options.json, made, `API key ${made.apiKey} (${made.apiKeyId})`);
        if (!sealer) {
          process.stderr.write(
            'Without KEY_ENCRYPTION_KEYS no copy is stored: the key is shown only once.\n',
          );
        }
      }),
    );
  jsonOption(key.command('revoke'))
    .description(
      'Revoke a default or a named key from the next request on; the account has no default key until you regenerate it.',
    )
    .argument('<key-id>', 'the key’s id, as shown by `account show`', idOf(apiKeyId))
    .action((id: ApiKeyId, options: JsonOption) =>
      withOperator(async ({ accounts }) => {
        if (!(await accounts.revokeKey(id))) {
          throw new OperatorError(`Active key ${id} not found.`);
        }
        print(options.json, { apiKeyId: id, revoked: true }, `Revoked ${id}.`);
      }),
    );
  addRotate(key, withOperator);
}

function addRotate(key: Command, withOperator: WithOperator): void {
  jsonOption(key.command('rotate'))
    .description(
      'Encrypt every copy with the first key of KEY_ENCRYPTION_KEYS. You can interrupt and repeat this command.',
    )
    .action((options: JsonOption) =>
      withOperator(async ({ keys, sealer }) => {
        if (!sealer) {
          throw new OperatorError('Set KEY_ENCRYPTION_KEYS to the value that the gateways use.');
        }
        const rotation = await rotateSealedKeys({ keys, sealer }, (done, total) => {
          process.stderr.write(`${done} of ${total} processed.\n`);
        });
        const sealedUnder = `Encrypted ${rotation.resealed} with ${sealer.currentKid}.`;
        print(options.json, { ...rotation, kid: sealer.currentKid }, sealedUnder);
        if (rotation.failed.length > 0) {
          throw new OperatorError(
            `${rotation.failed.length} could not be decrypted with any key of the ring: ${rotation.failed.slice(0, 10).join(', ')}. Keep the earlier keys in the ring, or regenerate the API keys.`,
          );
        }
      }),
    );
}
