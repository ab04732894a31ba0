import { OperatorError, wholeNumberArgument } from '@mailproof/service-kit';
import { type AccountId, accountId, type PlanName, planNames } from '@mailproof/shared-types';
import { Argument, type Command } from 'commander';
import type { Operator } from '../compose/operator.ts';
import {
  type Billing,
  BillingFault,
  type BillingStep,
  cancelChange,
  changePlan,
  lapse,
  pay,
  renew,
  resume,
} from '../domain/billing/billing.ts';
import type { BillingChange } from '../domain/billing/billing-store.ts';
import {
  atOption,
  type ClockOptions,
  idOf,
  jsonOption,
  print,
  textUpTo,
  type WithOperator,
} from './command-parts.ts';
import { accountInWords, accountShown } from './show-account.ts';

interface PaidOptions extends ClockOptions {
  readonly months: number;
  readonly reference?: string;
}

const monthsMax = 120;

/** Commands on plans and payments; each shows the account afterwards. */
export function addBillingCommands(account: Command, withOperator: WithOperator): void {
  addPlan(account, withOperator);
  paidCommand(account, 'pay')
    .description(
      'Record a payment: starts the plan that waits for it, resumes one that lapsed, or extends the plan.',
    )
    .action((id: AccountId, options: PaidOptions) =>
      withOperator(operator =>
        step(operator, id, options, (billing, at) => pay(billing, at, options.months, operator.graceDays)),
      ),
    );
  paidCommand(account, 'resume')
    .description(
      'Go back to the plan that lapsed, in a cycle that begins now; your word stands for the payment.',
    )
    .action((id: AccountId, options: PaidOptions) =>
      withOperator(operator =>
        step(operator, id, options, (billing, at) => resume(billing, at, options.months)),
      ),
    );
  clockCommand(account, 'lapse')
    .description(
      'Let a plan lapse at once, whatever its payment: the account falls back to free, its key is disabled.',
    )
    .action((id: AccountId, options: ClockOptions) =>
      withOperator(operator => step(operator, id, options, lapse)),
    );
  clockCommand(account, 'renew')
    .description(
      'Do what the end of the cycle asks for now; before its end, send its opening to the ledger again.',
    )
    .action((id: AccountId, options: ClockOptions) =>
      withOperator(operator => renewOne(operator, id, options)),
    );
}

function addPlan(account: Command, withOperator: WithOperator): void {
  paidCommand(account, 'plan')
    .description(
      'Change the plan: an upgrade at once, in a cycle that begins now, and your word stands for its payment; a downgrade at the end of the cycle.',
    )
    .addArgument(new Argument('[plan]', 'the plan to change to').choices(planNames))
    .option('--cancel', 'take a pending change back instead')
    .action((id: AccountId, plan: PlanName | undefined, options: PaidOptions & { cancel?: true }) =>
      withOperator(operator => {
        if ((plan === undefined) !== (options.cancel === true)) {
          throw new OperatorError('Name the plan to change to, or give --cancel.');
        }
        return step(operator, id, options, (billing, at) =>
          plan === undefined ? cancelChange(billing) : changePlan(billing, plan, at, options.months),
        );
      }),
    );
}

function clockCommand(account: Command, name: string): Command {
  return jsonOption(account.command(name))
    .argument('<account-id>', 'the account', idOf(accountId))
    .addOption(atOption());
}

function paidCommand(account: Command, name: string): Command {
  return clockCommand(account, name)
    .option('--months <number>', 'how many months are paid for', wholeNumberArgument(1, monthsMax), 1)
    .option(
      '--reference <text>',
      'what you call the payment, such as the number of an invoice',
      textUpTo(200),
    );
}

async function step(
  operator: Operator,
  id: AccountId,
  options: ClockOptions & { readonly reference?: string },
  decide: (billing: Billing, at: Date) => BillingStep,
): Promise<void> {
  const at = options.at ?? new Date();
  const change = await refusedInWords(() =>
    operator.billing.change(id, billing => decide(billing, at), {
      now: at,
      graceDays: operator.graceDays,
      by: 'operator',
      paymentReference: options.reference,
    }),
  );
  if (!change) {
    throw new OperatorError(`There is no account ${id}.`);
  }
  await showAfter(operator, id, at, options, change);
}

async function renewOne(operator: Operator, id: AccountId, options: ClockOptions): Promise<void> {
  const at = options.at ?? new Date();
  const { graceDays } = operator;
  const read = await operator.billing.read(id);
  if (!read) {
    throw new OperatorError(`There is no account ${id}.`);
  }
  if (renew(read.billing, at, graceDays)) {
    return step(operator, id, options, billing => renew(billing, at, graceDays) ?? { billing });
  }
  await operator.billing.reopenCycle(id);
  process.stderr.write(
    'Nothing is due. The opening of the current cycle was sent to the ledger again, which counts it once.\n',
  );
  await showAfter(operator, id, at, options, undefined);
}

async function showAfter(
  operator: Operator,
  id: AccountId,
  at: Date,
  { json }: ClockOptions,
  change: BillingChange | undefined,
): Promise<void> {
  const shown = await accountShown(operator, id, at);
  if (!shown) {
    throw new OperatorError(`There is no account ${id}.`);
  }
  const madeKey = change?.madeKey;
  const newKey = madeKey ? `\nNew key  ${madeKey.apiKey}` : '';
  print(json, { ...shown, ...(madeKey && { apiKey: madeKey.apiKey }) }, `${accountInWords(shown)}${newKey}`);
}

async function refusedInWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BillingFault ? new OperatorError(error.message) : error;
  }
}
