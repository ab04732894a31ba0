import type { PlanName } from '@mailproof/shared-types';
import { AccountDeleted } from '../accounts/account.ts';
import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { SecurityEventLog } from '../users/security-event.ts';
import { cancelChange, requestPlan } from './billing.ts';
import type { AccountBilling, BillingStore } from './billing-store.ts';
import type { PaymentInstruction, PaymentPort } from './payment-port.ts';

export interface PlanChangePorts {
  readonly billing: Pick<BillingStore, 'change' | 'read'>;
  readonly payments: PaymentPort;
  readonly record: SecurityEventLog['record'];
  readonly now: () => Date;
  readonly graceDays: number;
}

/** The user who requests a plan change, and their client. */
export type PlanChanger = SignedIn & { readonly client: Client };

/** The state of an account after a plan change request. */
export interface PlanChangeRequested {
  readonly account: AccountBilling;
  /** The customer's next step; absent if no payment is needed first. */
  readonly payment: PaymentInstruction | undefined;
}

/**
 * Requests a plan change: an upgrade waits for its payment, a downgrade for the end of the cycle. Throws
 * `BillingFault`.
 */
export async function requestPlanChange(
  ports: PlanChangePorts,
  { account: { accountId }, userId, client }: PlanChanger,
  plan: PlanName,
): Promise<PlanChangeRequested> {
  const now = ports.now();
  await ports.billing.change(accountId, billing => requestPlan(billing, plan, now), {
    now,
    graceDays: ports.graceDays,
    by: 'owner',
  });
  const account = await readAfter(ports, accountId);
  const { pending } = account.billing;
  const details = { plan, takes_effect: pending?.takesEffect ?? 'at_once' };
  await ports.record({ accountId, userId, kind: 'plan_changed', at: now, client, details });
  const awaitsPayment = pending?.plan === plan && pending.takesEffect === 'on_payment';
  const payment = awaitsPayment
    ? await ports.payments.order({ accountId, plan, orderedAt: pending.requestedAt })
    : undefined;
  return { account, payment };
}

/** Cancels the pending change, if any. */
export async function cancelPlanChange(
  ports: PlanChangePorts,
  { account: { accountId }, userId, client }: PlanChanger,
): Promise<AccountBilling> {
  const now = ports.now();
  const change = await ports.billing.change(accountId, cancelChange, {
    now,
    graceDays: ports.graceDays,
    by: 'owner',
  });
  const cancelled = change?.before.pending;
  if (cancelled) {
    const details = { plan: cancelled.plan, cancelled: true };
    await ports.record({ accountId, userId, kind: 'plan_changed', at: now, client, details });
  }
  return readAfter(ports, accountId);
}

async function readAfter({ billing }: PlanChangePorts, accountId: AccountBilling['accountId']) {
  const account = await billing.read(accountId);
  if (!account) {
    throw new AccountDeleted(accountId);
  }
  return account;
}
