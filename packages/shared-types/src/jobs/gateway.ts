import { z } from 'zod';
import { accountId, creditGrantId, eventId, holdId, mailId, requestId, userId } from '../ids.ts';
import { openBillingCycle } from '../operations/internal/ledger/grants.ts';
import { cause, creditAmount } from '../operations/internal/ledger/parts.ts';
import { credits } from '../operations/public-parts.ts';
import { defineJobType } from './job-type.ts';

/** The delays double, starting at half a second, and total a day and a half, so that jobs survive a long outage. */
const throughLongOutage = { attemptsMax: 19, backoffMs: 500 } as const;

/** Grants credits in the ledger; this job commits in the same transaction as the reason for the grant. */
export const grantCreditsJob = defineJobType({
  name: 'gateway.grant-credits',
  payload: z.strictObject({
    grantId: creditGrantId,
    accountId,
    amount: creditAmount,
    cause,
    // Omitted if it has the default value: workers of the previous release refuse unknown fields.
    kind: z.literal('top_up').optional(),
    expiresAt: z.iso.datetime().optional(),
  }),
  // The customer may have paid for these credits.
  ...throughLongOutage,
});

/** Collects the charge for a delivered answer, in case the gateway crashes before it does so. */
export const collectChargeJob = defineJobType({
  name: 'gateway.collect-charge',
  payload: z.strictObject({ holdId, accountId, runId: requestId, cause, amount: creditAmount }),
  attemptsMax: 12,
  backoffMs: 500,
});

/**
 * The form of `collectChargeJob` in the previous release, which did not record the run. Remove it in a later release.
 */
export const settleHoldJob = defineJobType({
  name: 'gateway.settle-hold',
  payload: z.strictObject({ holdId, delivered: credits }),
  attemptsMax: 12,
  backoffMs: 500,
});

/** Opens a billing cycle in the ledger; this job commits in the same transaction as the account's new cycle. */
export const openBillingCycleJob = defineJobType({
  name: 'gateway.open-billing-cycle',
  payload: openBillingCycle.body,
  ...throughLongOutage,
});

/**
 * Makes the payment provider collect what the account's plan costs, and nothing else; this job commits with each change
 * of the plan. It names the customer, because the account may be deleted.
 */
export const alignSubscriptionsJob = defineJobType({
  name: 'gateway.align-subscriptions',
  payload: z.strictObject({ accountId, customerId: z.string().min(1).max(200) }),
  ...throughLongOutage,
});

/** Compares the payment provider's invoices with the recorded payments, each night. */
export const reconcilePaymentsJob = defineJobType({
  name: 'gateway.reconcile-payments',
  payload: z.strictObject({}),
  // The attempts span half a day; the next night tries again.
  attemptsMax: 16,
  backoffMs: 1_000,
});

/** Expires the credits of a deleted account. The job must survive a long outage. */
export const closeAccountCreditsJob = defineJobType({
  name: 'gateway.close-account-credits',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Makes the engine delete the outcomes that a deleted account reported. */
export const forgetAccountOutcomesJob = defineJobType({
  name: 'gateway.forget-account-outcomes',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Makes the tool server delete the assistants of a deleted account. */
export const forgetAccountAssistantsJob = defineJobType({
  name: 'gateway.forget-account-assistants',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Makes the enrichment service end the runs of a deleted account and delete what the account saved. */
export const forgetAccountProfilesJob = defineJobType({
  name: 'gateway.forget-account-profiles',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/** Makes the webhook dispatcher end and delete the exports of a deleted account. */
export const forgetAccountExportsJob = defineJobType({
  name: 'gateway.forget-account-exports',
  payload: z.strictObject({ accountId }),
  ...throughLongOutage,
});

/**
 * Disconnects the assistants that a user connected before a given time. The job must survive a long outage: an attacker
 * may have connected one.
 */
export const disconnectUserAssistantsJob = defineJobType({
  name: 'gateway.disconnect-user-assistants',
  payload: z.strictObject({ accountId, userId, until: z.iso.datetime() }),
  ...throughLongOutage,
});

/**
 * Sends a mail. The job contains only the mail's id, so that the address and the text stay out of Redis. The token of a
 * link is created when the mail is sent.
 */
export const sendMailJob = defineJobType({
  name: 'gateway.send-mail',
  payload: z.strictObject({ mailId }),
  // The delays double, starting at two seconds; the attempts span nine hours.
  attemptsMax: 15,
  backoffMs: 2_000,
});

/** Mails a notice to a user. The row of the notice has what it says; a worker of the previous release leaves it alone. */
export const sendNoticeJob = defineJobType({
  name: 'gateway.send-notice',
  payload: z.strictObject({ userId, eventId }),
  attemptsMax: sendMailJob.attemptsMax,
  backoffMs: sendMailJob.backoffMs,
});
