import { OperatorError, wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import type { Command } from 'commander';
import type { Reconciliation } from '../domain/billing/receive-payment.ts';
import { jsonOption, print, type WithOperator } from './command-parts.ts';

const daysMax = 400;

/** Commands on the payments that a provider collects. */
export function addPaymentCommands(program: Command, withOperator: WithOperator): void {
  const payments = program.command('payments').description('Compare payments with the payment provider.');
  jsonOption(payments.command('reconcile'))
    .description(
      'Record paid invoices of Stripe that are absent here, and list those that need a decision. Runs each night.',
    )
    .option('--days <number>', 'age of the oldest invoice, in days', wholeNumberArgument(1, daysMax))
    .action(({ days, json }: { readonly days?: number; readonly json?: true }) =>
      withOperator(async ({ reconcile }) => {
        if (!reconcile) {
          throw new OperatorError('Payment by Stripe is not configured: see docs/payment.md.');
        }
        const found = await reconcile(days);
        print(json, found, inWords(found));
      }),
    );
}

function inWords({ invoices, recorded, unplaced, missing }: Reconciliation): string {
  const listed = (title: string, ids: readonly string[]) => [
    `${title}: ${ids.length}`,
    ...ids.map(id => `  ${id}`),
  ];
  return [
    `Paid invoices: ${invoices}`,
    ...listed('Recorded now', recorded),
    ...listed('Need a decision', unplaced),
    ...listed('Recorded, but not paid at Stripe', missing),
  ].join('\n');
}
