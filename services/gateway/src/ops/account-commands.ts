import { OperatorError, wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { type AccountId, accountId, accountName, limits, planNames, plans } from '@mailproof/shared-types';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AccountStore } from '../domain/accounts/account.ts';
import { atOption, type ClockOptions, idOf, jsonOption, print, type WithOperator } from './command-parts.ts';
import { addOwner, type OwnerOptions, ownerOption, prepareOwner } from './owner-option.ts';
import { accountInWords, accountShown, listLine } from './show-account.ts';

interface CreateOptions extends ClockOptions, OwnerOptions {
  readonly name: string;
  readonly plan: (typeof planNames)[number];
  readonly credits: number;
  readonly requestsPerSecond?: number;
}

const listMax = 1_000;
const dayMs = 86_400_000;

/** Adds commands on accounts; returns the group, so more commands can be added to it. */
export function addAccountCommands(program: Command, withOperator: WithOperator): Command {
  const account = program
    .command('account')
    .description('Manage accounts: create and show them, grant credits, and record billing.');
  addCreate(account, withOperator);
  addShow(account, withOperator);
  addList(account, withOperator);
  addGrants(account, withOperator);
  return account;
}

function addCreate(account: Command, withOperator: WithOperator): void {
  ownerOption(jsonOption(account.command('create')))
    .description('Create an account on a plan, with an API key if the plan has API access.')
    .requiredOption('--name <name>', 'account name', nameOf)
    .addOption(new Option('--plan <plan>', 'the plan').choices(planNames).default(planNames[0]))
    .option('--credits <number>', 'credits to grant in addition to the plan’s', wholeNumberArgument(0), 0)
    .option(
      '--requests-per-second <number>',
      `custom requests per second for this account (the plan ${planNames[0]} allows ${plans[planNames[0]].requestsPerSecond})`,
      wholeNumberArgument(1, 100_000),
    )
    .addOption(atOption())
    .action((options: CreateOptions) =>
      withOperator(async ({ accounts, owners, available }) => {
        const owner = await prepareOwner(owners, options);
        const created = await accounts.create({ ...options, startsAt: options.at });
        if (owner) {
          await addOwner(owners, created.accountId, owner);
        }
        const key = created.apiKey ?? `none: the plan ${options.plan} has no API access`;
        const lines = [`Account ${created.accountId}`, `API key ${key}`];
        for (const [what, value] of Object.entries(owner?.shown ?? {})) {
          lines.push(`${what === 'email' ? 'Owner  ' : 'Password'} ${value}`);
        }
        print(options.json, { ...created, ...owner?.shown }, lines.join('\n'));
        // Where the services run, the new key can spend the plan's credits at once.
        if (available || options.credits > 0)
          await followGrants(accounts, created.accountId, options.credits);
      }),
    );
}

function nameOf(text: string): string {
  const parsed = accountName.safeParse(text);
  if (!parsed.success) {
    throw new InvalidArgumentError(`The name ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
  }
  return parsed.data;
}

function addShow(account: Command, withOperator: WithOperator): void {
  jsonOption(account.command('show'))
    .description('Show an account: plan, cycle, payment, key, pending change and balance.')
    .argument('<account-id>', 'the account', idOf(accountId))
    .addOption(atOption())
    .action((id: AccountId, options: ClockOptions) =>
      withOperator(async operator => {
        const shown = await accountShown(operator, id, options.at ?? new Date());
        if (!shown) {
          throw new OperatorError(`Account ${id} not found.`);
        }
        print(options.json, shown, accountInWords(shown));
      }),
    );
}

function addList(account: Command, withOperator: WithOperator): void {
  jsonOption(account.command('list'))
    .description(`List accounts in order of creation, at most ${listMax}.`)
    .option('--after <account-id>', 'only accounts created after this one', idOf(accountId))
    .option('--limit <number>', 'maximum number', wholeNumberArgument(1, listMax), 100)
    .action((options: { after?: AccountId; limit: number; json?: true }) =>
      withOperator(async ({ billing }) => {
        const rows = await billing.list(options.after, options.limit);
        const lines = rows.map(row => listLine(row, new Date()));
        const listed = rows.map(({ accountId: id, name, createdAt, billing: { plan, cycle } }) => ({
          accountId: id,
          name,
          plan,
          cycleEndsAt: cycle?.endsAt ?? null,
          createdAt,
        }));
        print(options.json, listed, lines.length > 0 ? lines.join('\n') : 'No accounts.');
      }),
    );
}

interface GrantOptions {
  readonly json?: true;
}

function addGrants(account: Command, withOperator: WithOperator): void {
  const grants = [
    {
      name: 'grant',
      description: 'Grant credits to an account as an adjustment; they never expire.',
      terms: () => ({ kind: 'adjustment' }) as const,
    },
    {
      name: 'top-up',
      description: `Grant purchased credits in addition to the plan; they expire after ${limits.topUpDays} days.`,
      terms: (at: Date) =>
        ({ kind: 'top_up', expiresAt: new Date(at.getTime() + limits.topUpDays * dayMs) }) as const,
    },
  ];
  for (const { name, description, terms } of grants) {
    jsonOption(account.command(name))
      .description(description)
      .argument('<account-id>', 'the account', idOf(accountId))
      .argument('<credits>', 'number of credits', wholeNumberArgument(1))
      .addOption(atOption())
      .action((id: AccountId, credits: number, options: GrantOptions & ClockOptions) =>
        withOperator(async ({ accounts }) => {
          const granted = terms(options.at ?? new Date());
          if (!(await accounts.requestGrant(id, credits, granted))) {
            throw new OperatorError(`Account ${id} not found.`);
          }
          await followGrants(accounts, id, credits);
          if (options.json) {
            print(true, { accountId: id, credits, expiresAt: null, ...granted }, '');
          }
        }),
      );
  }
}

const grantWaitMs = 15_000;
const grantPollMs = 100;

/**
 * Waits until the gateway has carried out the grants of an account, and warns on standard error if it has not.
 *
 * @param credits what was granted in addition to the plan's credits
 */
async function followGrants(accounts: AccountStore, id: AccountId, credits: number): Promise<void> {
  const giveUpAtMs = Date.now() + grantWaitMs;
  while ((await accounts.pendingGrants(id)) > 0) {
    if (Date.now() > giveUpAtMs) {
      process.stderr.write(
        'The credits are recorded; they arrive once the gateway and the ledger are running.\n',
      );
      return;
    }
    await new Promise(resolve => setTimeout(resolve, grantPollMs));
  }
  if (credits > 0) {
    process.stderr.write(`Granted ${credits} credits.\n`);
  }
}
