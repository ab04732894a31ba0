import { OperatorError, wholeNumberArgument } from '@mailproof/service-kit/operator-command';
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

/** Commands on plans and payments; each shows the account after the change. */
export function addBillingCommands(account: Command, withOperator: WithOperator): void {
  addPlan(account, withOperator);
  paidCommand(account, 'pay')
    .description(
      'Record a payment: starts a pending plan, resumes a lapsed plan, or extends the current plan.',
    )
    .action((id: AccountId, options: PaidOptions) =>
      withOperator(operator =>
        step(operator, id, options, (billing, at) => pay(billing, at, options.months, operator.graceDays)),
      ),
    );
  paidCommand(account, 'resume')
    .description('Restore the lapsed plan with a new cycle that starts now. No payment is checked.')
    .action((id: AccountId, options: PaidOptions) =>
      withOperator(operator =>
        step(operator, id, options, (billing, at) => resume(billing, at, options.months)),
      ),
    );
  clockCommand(account, 'lapse')
    .description(
      'Lapse a plan immediately, regardless of payment: the account returns to the free plan and its key is disabled.',
    )
    .action((id: AccountId, options: ClockOptions) =>
      withOperator(operator => step(operator, id, options, lapse)),
    );
  clockCommand(account, 'renew')
    .description(
      'Run the end of the billing cycle now. Before the end of the cycle, resend its start to the ledger.',
    )
    .action((id: AccountId, options: ClockOptions) =>
      withOperator(operator => renewOne(operator, id, options)),
    );
}

function addPlan(account: Command, withOperator: WithOperator): void {
  paidCommand(account, 'plan')
    .description(
      'Change the plan: an upgrade takes effect immediately with a new cycle, without checking payment; a downgrade takes effect at the end of the cycle.',
    )
    .addArgument(new Argument('[plan]', 'the new plan').choices(planNames))
    .option('--cancel', 'cancel a pending plan change instead')
    .action((id: AccountId, plan: PlanName | undefined, options: PaidOptions & { cancel?: true }) =>
      withOperator(operator => {
        if ((plan === undefined) !== (options.cancel === true)) {
          throw new OperatorError('Enter the new plan, or use --cancel.');
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
    .option('--months <number>', 'number of months paid', wholeNumberArgument(1, monthsMax), 1)
    .option('--reference <text>', 'payment reference, such as an invoice number', textUpTo(200));
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
    throw new OperatorError(`Account ${id} not found.`);
  }
  await showAfter(operator, id, at, options, change);
}

async function renewOne(operator: Operator, id: AccountId, options: ClockOptions): Promise<void> {
  const at = options.at ?? new Date();
  const { graceDays } = operator;
  const read = await operator.billing.read(id);
  if (!read) {
    throw new OperatorError(`Account ${id} not found.`);
  }
  if (renew(read.billing, at, graceDays)) {
    return step(operator, id, options, billing => renew(billing, at, graceDays) ?? { billing });
  }
  await operator.billing.reopenCycle(id);
  process.stderr.write(
    'Nothing is due. The start of the current cycle was sent to the ledger again, which counts it once.\n',
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
    throw new OperatorError(`Account ${id} not found.`);
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
