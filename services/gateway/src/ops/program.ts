import { type AccountId, accountId, apiKeyId, planNames, plans } from '@mailproof/shared-types';
import { Command, InvalidArgumentError, Option } from 'commander';
import { composeOperator } from '../compose.ts';
import { loadOperatorConfig } from '../config.ts';
import type { AccountStore } from '../domain/account.ts';

/** An operator's command that cannot be carried out, in a sentence. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

interface CreateOptions {
  readonly name: string;
  readonly plan: (typeof planNames)[number];
  readonly credits: number;
  readonly requestsPerSecond?: number;
  readonly json?: true;
}

/** The operator's commands on accounts and keys. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the accounts of a Mailproof installation.');
  program.addHelpText('after', '\nOn what is never probed: pnpm ops do-not-probe --help');
  const withAccounts = async (work: (accounts: AccountStore) => Promise<void>) => {
    const operator = composeOperator(loadOperatorConfig(environment));
    try {
      await work(operator.accounts);
    } finally {
      await operator.close();
    }
  };

  const account = program.command('account').description('Accounts: create them, grant them credits.');
  account
    .command('create')
    .description('Create an account with an API key, which is shown this once.')
    .requiredOption('--name <name>', 'what to call the account', textUpTo(200))
    .addOption(new Option('--plan <plan>', 'the plan').choices(planNames).default(planNames[0]))
    .option('--credits <number>', 'credits to grant', countFrom(0), 0)
    .option(
      '--requests-per-second <number>',
      `a rate agreed with this account (its plan allows ${plans[planNames[0]].requestsPerSecond})`,
      countFrom(1),
    )
    .option('--json', 'answer in JSON')
    .action((options: CreateOptions) =>
      withAccounts(async accounts => {
        const created = await accounts.create(options);
        print(options.json, created, `Account ${created.accountId}\nAPI key ${created.apiKey}`);
        await followGrants(accounts, created.accountId, options.credits);
      }),
    );
  account
    .command('grant')
    .description('Grant credits to an account.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .argument('<credits>', 'how many', countFrom(1))
    .action((id: AccountId, credits: number) =>
      withAccounts(async accounts => {
        if (!(await accounts.requestGrant(id, credits))) {
          throw new OperatorError(`There is no account ${id}.`);
        }
        await followGrants(accounts, id, credits);
      }),
    );

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
  return program;
}

const grantWaitMs = 15_000;
const grantPollMs = 100;

/** Waits until the gateway has carried out the grants, and says so on standard error when it has not. */
async function followGrants(accounts: AccountStore, id: AccountId, credits: number): Promise<void> {
  const giveUpAtMs = Date.now() + grantWaitMs;
  while (credits > 0 && (await accounts.pendingGrants(id)) > 0) {
    if (Date.now() > giveUpAtMs) {
      process.stderr.write('The credits are recorded; they arrive once the gateway and the ledger run.\n');
      return;
    }
    await new Promise(resolve => setTimeout(resolve, grantPollMs));
  }
  if (credits > 0) {
    process.stderr.write(`Granted ${credits} credits.\n`);
  }
}

function print(json: true | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

function countFrom(minimum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < minimum) {
      throw new InvalidArgumentError(`Give a whole number from ${minimum}.`);
    }
    return value;
  };
}

function textUpTo(maximum: number) {
  return (text: string): string => {
    if (text.trim() === '' || text.length > maximum) {
      throw new InvalidArgumentError(`Give 1 to ${maximum} characters.`);
    }
    return text.trim();
  };
}

function idOf<Id>(schema: { safeParse(value: unknown): { success: true; data: Id } | { success: false } }) {
  return (text: string): Id => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) {
      throw new InvalidArgumentError('That is not such an id.');
    }
    return parsed.data;
  };
}
