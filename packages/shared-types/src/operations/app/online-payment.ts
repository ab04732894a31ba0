import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { ownerOnly } from './view-parts.ts';

const providersPage = z.object({
  url: z.url().describe('The payment provider’s page, for this account and for a limited time.'),
});

/** Opens the payment provider's page for invoices and means of payment. */
export const openPaymentPortal = defineOperation({
  id: 'open-payment-portal',
  method: 'post',
  path: '/app/v1/plan/payment-portal',
  summary: 'Open the payment portal',
  tag: 'Plan',
  description:
    'Returns the payment provider’s page where an owner sees invoices and changes the means of payment. It exists once the account has ordered something online.',
  answeredBy: 'gateway',
  access: ownerOnly('purchase'),
  success: { status: 200, description: 'The page.', schema: providersPage },
  repeatable: true,
  problems: ['online_payment_not_available'],
});

/** Sells credits in addition to the plan. */
export const buyCredits = defineOperation({
  id: 'buy-credits',
  method: 'post',
  path: '/app/v1/plan/top-up',
  summary: 'Buy credits',
  tag: 'Plan',
  description: `Returns the payment provider’s page where an owner pays for credits in addition to the plan, in one of the numbers that the plan lists as \`online_payment.top_ups\`. They arrive once they are paid, and expire after ${limits.topUpDays} days.`,
  answeredBy: 'gateway',
  access: ownerOnly('purchase'),
  body: z.strictObject({ credits: z.int().positive().max(999_999_999) }),
  success: { status: 200, description: 'The page where the credits are paid.', schema: providersPage },
  // A second page costs nothing until it is paid.
  repeatable: true,
  problems: ['online_payment_not_available'],
});
