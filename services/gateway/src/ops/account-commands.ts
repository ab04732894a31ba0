import { type AccountId, accountId, planNames, plans } from '@mailproof/shared-types';
import { type Command, Option } from 'commander';
import type { AccountStore } from '../domain/account.ts';
import { countFrom, idOf, OperatorError, print, textUpTo, type WithAccounts } from './command-parts.ts';

interface CreateOptions {
  readonly name: string;
  readonly plan: (typeof planNames)[number];
  readonly credits: number;
  readonly requestsPerSecond?: number;
  readonly json?: true;
}

/** Commands on accounts. */
export function addAccountCommands(program: Command, withAccounts: WithAccounts): void {
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
