import { z } from 'zod';
import { accountId, creditGrantId, holdId, mailId } from '../ids.ts';
import { openBillingCycle } from '../operations/internal/ledger/grants.ts';
import { cause, creditAmount } from '../operations/internal/ledger/parts.ts';
import { credits } from '../operations/public-parts.ts';
import { defineJobType } from './job-type.ts';

/** Grants credits in the ledger; what they are for and this job commit together. */
export const grantCreditsJob = defineJobType({
  name: 'gateway.grant-credits',
  payload: z.strictObject({
    grantId: creditGrantId,
    accountId,
    kind: z.enum(['top_up', 'adjustment']).default('adjustment'),
    amount: creditAmount,
    expiresAt: z.iso.datetime().nullable().default(null),
    cause,
  }),
  attemptsMax: 12,
  backoffMs: 500,
});

/** Settles a hold whose settlement did not reach the ledger while the customer waited. */
export const settleHoldJob = defineJobType({
  name: 'gateway.settle-hold',
  payload: z.strictObject({ holdId, delivered: credits }),
  attemptsMax: 12,
  backoffMs: 500,
});

/** Opens a billing cycle in the ledger; the account's step into the cycle and this job commit together. */
export const openBillingCycleJob = defineJobType({
  name: 'gateway.open-billing-cycle',
  payload: openBillingCycle.body,
  // Two days in all: a cycle must not get lost in a long outage.
  attemptsMax: 18,
  backoffMs: 500,
});

/** Lets the credits of a deleted account expire. It must not be given up while the ledger is away for a day. */
export const closeAccountCreditsJob = defineJobType({
  name: 'gateway.close-account-credits',
  payload: z.strictObject({ accountId }),
  attemptsMax: 18,
  backoffMs: 500,
});

/** Lets the engine forget what a deleted account reported. */
export const forgetAccountOutcomesJob = defineJobType({
  name: 'gateway.forget-account-outcomes',
  payload: z.strictObject({ accountId }),
  attemptsMax: 18,
  backoffMs: 500,
});

/** Sends a mail. The job knows its id alone: address and text stay out of Redis, and a link's token is made on sending. */
export const sendMailJob = defineJobType({
  name: 'gateway.send-mail',
  payload: z.strictObject({ mailId }),
  // Doubling from two seconds on, this goes on for nine hours.
  attemptsMax: 15,
  backoffMs: 2_000,
});
