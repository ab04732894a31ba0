import { z } from 'zod';
import { accountId, creditGrantId, holdId, mailId, requestId, userId } from '../ids.ts';
import { openBillingCycle } from '../operations/internal/ledger/grants.ts';
import { cause, creditAmount } from '../operations/internal/ledger/parts.ts';
import { credits } from '../operations/public-parts.ts';
import { defineJobType } from './job-type.ts';

/** Waits double from half a second on: a day and a half in all, so that nothing is lost in a long outage. */
const throughLongOutage = { attemptsMax: 19, backoffMs: 500 } as const;

/** Grants credits in the ledger; what they are for and this job commit together. */
export const grantCreditsJob = defineJobType({
  name: 'gateway.grant-credits',
  payload: z.strictObject({
    grantId: creditGrantId,
    accountId,
    amount: creditAmount,
    cause,
    // Left out where they say nothing: a worker of the release before refuses what it does not know.
    kind: z.literal('top_up').optional(),
    expiresAt: z.iso.datetime().optional(),
  }),
  // They may have been paid for.
  ...throughLongOutage,
});

/** Collects the charge for an answer that was delivered, should the gateway not live to do it. */
export const collectChargeJob = defineJobType({
  name: 'gateway.collect-charge',
  payload: z.strictObject({ holdId, accountId, runId: requestId, cause, amount: creditAmount }),
  attemptsMax: 12,
  backoffMs: 500,
});

/** As `collectChargeJob`, of the release before, which did not write down the run. Drop it in a later release. */
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
  ...throughLongOutage,
});

/** Lets the credits of a deleted account expire. It must not be given up in a long outage. */
export const closeAccountCreditsJob = defineJobType({
  name: 'gateway.close-account-credits',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Lets the engine forget what a deleted account reported. */
export const forgetAccountOutcomesJob = defineJobType({
  name: 'gateway.forget-account-outcomes',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Lets the tool server forget the assistants of a deleted account. */
export const forgetAccountAssistantsJob = defineJobType({
  name: 'gateway.forget-account-assistants',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Lets the enrichment service end the runs of a deleted account and forget what it saved. */
export const forgetAccountProfilesJob = defineJobType({
  name: 'gateway.forget-account-profiles',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Lets the webhook dispatcher end and forget the exports of a deleted account. */
export const forgetAccountExportsJob = defineJobType({
  name: 'gateway.forget-account-exports',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Ends what a user had connected until a moment. It must not be given up in a long outage: a thief may have connected it. */
export const disconnectUserAssistantsJob = defineJobType({
  name: 'gateway.disconnect-user-assistants',
  payload: z.strictObject({ accountId, userId, until: z.iso.datetime() }),
  ...throughLongOutage,
});

/** Sends a mail. The job knows its id alone: address and text stay out of Redis, and a link's token is made on sending. */
export const sendMailJob = defineJobType({
  name: 'gateway.send-mail',
  payload: z.strictObject({ mailId }),
  // Doubling from two seconds on, this goes on for nine hours.
  attemptsMax: 15,
  backoffMs: 2_000,
});
