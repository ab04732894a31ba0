import { limits, type PlanName, plans } from '@mailproof/shared-types';
import { type Cycle, cycleAt, monthsAfter, monthsSince } from './cycle.ts';

/** The state of an account's plan. Every transition from one state to the next is a function below. */
export interface Billing {
  readonly plan: PlanName;
  /** The moment from which cycles are counted. */
  readonly anchor: Date;
  /** The latest opened cycle; absent before the first. */
  readonly cycle: Cycle | undefined;
  /** The end of the paid time; absent for a plan that needs no payment. */
  readonly paidUntil: Date | undefined;
  readonly pending: PendingChange | undefined;
  /** The plan that the account lost for lack of payment. */
  readonly lapsed: Lapse | undefined;
}

/** A requested plan change that has not taken effect yet. */
export interface PendingChange {
  readonly plan: PlanName;
  /** An upgrade waits for its payment, a downgrade for the end of the paid time. */
  readonly takesEffect: 'on_payment' | 'at_cycle_end';
  readonly requestedAt: Date;
}

export interface Lapse {
  readonly plan: PlanName;
  readonly at: Date;
}

/** A paid period. */
export interface PaidPeriod {
  readonly plan: PlanName;
  readonly from: Date;
  readonly until: Date;
}

/** A state transition and its consequences. */
export interface BillingStep {
  readonly billing: Billing;
  /** The cycle that the ledger must open, with its credits and allowances. */
  readonly opens?: Cycle;
  readonly paid?: PaidPeriod;
  /** Credits that were bought in addition to the plan. */
  readonly toppedUp?: ToppedUp;
}

export interface ToppedUp {
  readonly credits: number;
  readonly expiresAt: Date;
}

/** Why a step cannot be made. */
export type BillingFaultKind =
  | 'same_plan'
  | 'by_agreement'
  | 'needs_no_payment'
  | 'not_lapsed'
  | 'clock_behind'
  | 'paid_too_far_ahead'
  | 'other_plan'
  | 'already_recorded';

export class BillingFault extends Error {
  override readonly name = 'BillingFault';
  readonly kind: BillingFaultKind;

  constructor(kind: BillingFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const dayMs = 86_400_000;
/** The largest clock skew expected between replicas. */
const clockSkewMs = 60_000;
/** A longer prepayment is more likely a typo. */
const paidAheadMonthsMax = 120;

export function needsPayment(plan: PlanName): boolean {
  return plan !== 'free' && plan !== 'custom';
}

/** Starts a plan now, with a cycle anchored now and `months` paid. */
export function startPlan(plan: PlanName, now: Date, months = 1): BillingStep {
  const cycle = cycleAt(now, now);
  const until = monthsAfter(now, months);
  return {
    billing: {
      plan,
      anchor: now,
      cycle,
      paidUntil: needsPayment(plan) ? until : undefined,
      pending: undefined,
      lapsed: undefined,
    },
    opens: cycle,
    ...(needsPayment(plan) && { paid: { plan, from: now, until } }),
  };
}

/**
 * Requests a plan change for the customer. An upgrade waits for its payment; a downgrade waits for the end of the
 * cycle. A later request replaces an earlier one.
 */
export function requestPlan(billing: Billing, plan: PlanName, now: Date): BillingStep {
  if (plan === 'custom' || billing.plan === 'custom') {
    throw new BillingFault('by_agreement', 'The account has a custom plan; contact the operator.');
  }
  return pendingStep(billing, plan, now);
}

/**
 * Changes the plan for the operator, who vouches for the payment of `months`. An upgrade, and any change from or to
 * `custom`, takes effect now and starts a cycle now; a downgrade waits for the end of the cycle.
 */
export function changePlan(billing: Billing, plan: PlanName, now: Date, months = 1): BillingStep {
  const isByAgreement = plan === 'custom' || billing.plan === 'custom';
  if (plan !== billing.plan && (isByAgreement || isUpgrade(billing.plan, plan))) {
    return switchPlan(billing, plan, now, months);
  }
  return pendingStep(billing, plan, now);
}

/** Cancels the pending change, if any. */
export function cancelChange(billing: Billing): BillingStep {
  return { billing: { ...billing, pending: undefined } };
}

/**
 * Applies a payment of `months`: it starts the upgrade that waited for it, resumes the lapsed plan, or extends the
 * current plan and opens the next cycle if that is due.
 */
export function pay(billing: Billing, now: Date, months: number, graceDays: number): BillingStep {
  if (billing.pending?.takesEffect === 'on_payment') {
    return switchPlan(billing, billing.pending.plan, now, months);
  }
  if (billing.lapsed) {
    return resume(billing, now, months);
  }
  if (!needsPayment(billing.plan)) {
    throw new BillingFault(
      'needs_no_payment',
      `The plan ${billing.plan} needs no payment, and none is pending.`,
    );
  }
  return extend(billing, now, months, graceDays);
}

/**
 * Applies a payment that names its plan, such as a provider's: it extends the account's plan, or the smaller plan that
 * follows it, and starts a larger plan now. A pending change to another plan stays pending.
 */
export function payFor(
  billing: Billing,
  { plan, months }: { readonly plan: PlanName; readonly months: number },
  now: Date,
  graceDays: number,
): BillingStep {
  const { pending } = billing;
  if (pending?.takesEffect === 'at_cycle_end' && plan === pending.plan) {
    return extend(billing, now, months, graceDays);
  }
  if (plan === billing.plan && needsPayment(plan)) {
    const step = extend({ ...billing, pending: undefined }, now, months, graceDays);
    return { ...step, billing: { ...step.billing, pending } };
  }
  if (billing.plan === 'custom' || !isUpgrade(billing.plan, plan)) {
    throw new BillingFault('other_plan', `The account has the plan ${billing.plan}, not ${plan}.`);
  }
  const step = switchPlan(billing, plan, now, months);
  const awaited =
    pending?.takesEffect === 'on_payment' && isUpgrade(plan, pending.plan) ? pending : undefined;
  return { ...step, billing: { ...step.billing, pending: awaited } };
}

/** Adds bought credits; the plan and its cycle stay as they are. */
export function topUp(billing: Billing, credits: number, now: Date): BillingStep {
  return { billing, toppedUp: { credits, expiresAt: new Date(now.getTime() + limits.topUpDays * dayMs) } };
}

function extend(billing: Billing, now: Date, months: number, graceDays: number): BillingStep {
  assertClock(billing, now);
  const from = billing.paidUntil ?? cycleAt(billing.anchor, now).startsAt;
  const until = monthsAfter(billing.anchor, monthsSince(billing.anchor, from) + months);
  if (until > monthsAfter(now, paidAheadMonthsMax)) {
    throw new BillingFault(
      'paid_too_far_ahead',
      `A plan can be paid at most ${paidAheadMonthsMax} months in advance.`,
    );
  }
  const paidFor = billing.pending?.plan ?? billing.plan;
  const paid: PaidPeriod = { plan: needsPayment(paidFor) ? paidFor : billing.plan, from, until };
  const extended = { ...billing, paidUntil: until };
  return { ...(renew(extended, now, graceDays) ?? { billing: extended }), paid };
}

/**
 * Handles the end of a cycle: opens the next cycle, on a smaller plan if that was requested; waits while an unpaid plan
 * is in its grace period; lapses the plan after that. Cycles that were missed entirely are skipped: their credits would
 * have expired. Returns undefined when nothing is due.
 */
export function renew(billing: Billing, now: Date, graceDays: number): BillingStep | undefined {
  if (!billing.cycle) {
    return firstCycle(billing, now);
  }
  if (now < billing.cycle.endsAt) {
    return undefined;
  }
  const due = atCycleEnd(billing);
  const cycle = cycleAt(due.anchor, now);
  if (!needsPayment(due.plan)) {
    return { billing: { ...due, cycle, paidUntil: undefined }, opens: cycle };
  }
  const paidUntil = due.paidUntil ?? billing.cycle.endsAt;
  if (paidUntil >= cycle.endsAt) {
    return { billing: { ...due, cycle }, opens: cycle };
  }
  if (now.getTime() >= paidUntil.getTime() + graceDays * dayMs) {
    return lapse({ ...due, paidUntil }, now);
  }
  const lastPaid = cycleAt(due.anchor, new Date(paidUntil.getTime() - 1));
  const isUnchanged = due === billing && lastPaid.endsAt.getTime() === billing.cycle.endsAt.getTime();
  return isUnchanged ? undefined : { billing: { ...due, cycle: lastPaid, paidUntil } };
}

/** Falls back to the free plan, in a cycle anchored now. A requested upgrade still awaits payment. */
export function lapse(billing: Billing, now: Date): BillingStep {
  if (!needsPayment(billing.plan)) {
    throw new BillingFault(
      'needs_no_payment',
      `The plan ${billing.plan} needs no payment, so it cannot lapse.`,
    );
  }
  const step = switchPlan(billing, 'free', now, 1);
  const awaited = billing.pending?.takesEffect === 'on_payment' ? billing.pending : undefined;
  return {
    ...step,
    billing: { ...step.billing, pending: awaited, lapsed: { plan: billing.plan, at: now } },
  };
}

/** Resumes the lapsed plan, in a cycle that starts now; the operator confirms the payment. */
export function resume(billing: Billing, now: Date, months = 1): BillingStep {
  if (!billing.lapsed) {
    throw new BillingFault('not_lapsed', 'The account has no lapsed plan.');
  }
  return switchPlan(billing, billing.lapsed.plan, now, months);
}

/** When the renewal worker must check an account again. */
export function nextCheckAt(billing: Billing, now: Date, graceDays: number): Date {
  if (!billing.cycle) {
    return now;
  }
  if (now < billing.cycle.endsAt) {
    return billing.cycle.endsAt;
  }
  // A downgrade requested during the grace period need not wait for its end.
  return billing.pending?.takesEffect === 'at_cycle_end' ? now : (lapsesAt(billing, graceDays) ?? now);
}

/** When an unpaid plan lapses; undefined for a plan that needs no payment. */
export function lapsesAt(billing: Billing, graceDays: number): Date | undefined {
  return billing.paidUntil && new Date(billing.paidUntil.getTime() + graceDays * dayMs);
}

export type PaymentState = 'not_needed' | 'paid' | 'overdue' | 'lapsed';

/** `overdue`: the paid time has ended and the grace period is running. `lapsed`: that has ended too. */
export function paymentState(billing: Billing, now: Date): PaymentState {
  if (billing.lapsed) {
    return 'lapsed';
  }
  if (!billing.paidUntil) {
    return 'not_needed';
  }
  return now < billing.paidUntil ? 'paid' : 'overdue';
}

/** Starts an account that has had no cycle with the one that contains now; that cycle counts as paid. */
function firstCycle(billing: Billing, now: Date): BillingStep {
  const cycle = cycleAt(billing.anchor, now);
  const paidUntil = needsPayment(billing.plan) ? cycle.endsAt : undefined;
  return { billing: { ...billing, cycle, paidUntil }, opens: cycle };
}

function atCycleEnd(billing: Billing): Billing {
  return billing.pending?.takesEffect === 'at_cycle_end'
    ? { ...billing, plan: billing.pending.plan, pending: undefined }
    : billing;
}

function pendingStep(billing: Billing, plan: PlanName, now: Date): BillingStep {
  if (plan === billing.plan) {
    throw new BillingFault('same_plan', `The account already has the plan ${plan}.`);
  }
  if (billing.pending?.plan === plan) {
    // The request was repeated.
    return { billing };
  }
  const takesEffect = isUpgrade(billing.plan, plan) ? 'on_payment' : 'at_cycle_end';
  return { billing: { ...billing, pending: { plan, takesEffect, requestedAt: now } } };
}

/** The start identifies a cycle in the ledger, so a second change in the same millisecond starts 1 ms later. */
function switchPlan(billing: Billing, plan: PlanName, now: Date, months: number): BillingStep {
  assertClock(billing, now);
  const earliestMs = billing.cycle ? billing.cycle.startsAt.getTime() + 1 : 0;
  return startPlan(plan, new Date(Math.max(now.getTime(), earliestMs)), months);
}

function assertClock({ cycle }: Billing, now: Date): void {
  if (cycle && now.getTime() < cycle.startsAt.getTime() - clockSkewMs) {
    throw new BillingFault(
      'clock_behind',
      `The current cycle started at ${cycle.startsAt.toISOString()}; choose a later time.`,
    );
  }
}

function isUpgrade(from: PlanName, to: PlanName): boolean {
  return plans[to].creditsPerCycle > plans[from].creditsPerCycle;
}
