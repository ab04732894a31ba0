import { type PlanName, plans } from '@mailproof/shared-types';
import { type Cycle, cycleAt, monthsAfter, monthsSince } from './cycle.ts';

/** How an account stands with its plan. Every step from one state to the next is a function below. */
export interface Billing {
  readonly plan: PlanName;
  /** Where cycles are counted from. */
  readonly anchor: Date;
  /** The latest cycle that was opened; absent until the first one is. */
  readonly cycle: Cycle | undefined;
  /** Up to when the plan is paid for; absent where it needs no payment. */
  readonly paidUntil: Date | undefined;
  readonly pending: PendingChange | undefined;
  /** The plan that the account fell from because its payment was missing. */
  readonly lapsed: Lapse | undefined;
}

/** A change of plan that was asked for and has not happened. */
export interface PendingChange {
  readonly plan: PlanName;
  /** An upgrade waits for its payment, a downgrade for the end of what is paid for. */
  readonly takesEffect: 'on_payment' | 'at_cycle_end';
  readonly requestedAt: Date;
}

export interface Lapse {
  readonly plan: PlanName;
  readonly at: Date;
}

/** A time that was paid for. */
export interface PaidPeriod {
  readonly plan: PlanName;
  readonly from: Date;
  readonly until: Date;
}

/** A change of state with what follows from it. */
export interface BillingStep {
  readonly billing: Billing;
  /** The cycle whose credits and allowances the ledger has to open. */
  readonly opens?: Cycle;
  readonly paid?: PaidPeriod;
}

/** Why a step cannot be made. */
export type BillingFaultKind =
  | 'same_plan'
  | 'by_agreement'
  | 'needs_no_payment'
  | 'not_lapsed'
  | 'clock_behind'
  | 'paid_too_far_ahead';

export class BillingFault extends Error {
  override readonly name = 'BillingFault';
  readonly kind: BillingFaultKind;

  constructor(kind: BillingFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const dayMs = 86_400_000;
/** As far as the clocks of replicas may lie apart. */
const clockSkewMs = 60_000;
/** Longer ahead is more likely a slip of the finger than a payment. */
const paidAheadMonthsMax = 120;

export function needsPayment(plan: PlanName): boolean {
  return plan !== 'free' && plan !== 'custom';
}

/** Begins a plan now, with a cycle anchored now and `months` paid for. */
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
 * A change that the customer asks for. An upgrade waits for its payment; a downgrade waits for the end of the cycle.
 * A later request takes the place of an earlier one.
 */
export function requestPlan(billing: Billing, plan: PlanName, now: Date): BillingStep {
  if (plan === 'custom' || billing.plan === 'custom') {
    throw new BillingFault('by_agreement', 'This plan is by agreement; the operator changes it.');
  }
  return pendingStep(billing, plan, now);
}

/**
 * A change that the operator makes, whose word stands for the payment of `months`. An upgrade, and any change from or
 * to `custom`, happens now and begins a cycle now; a downgrade waits for the end of the cycle.
 */
export function changePlan(billing: Billing, plan: PlanName, now: Date, months = 1): BillingStep {
  const isByAgreement = plan === 'custom' || billing.plan === 'custom';
  if (plan !== billing.plan && (isByAgreement || isUpgrade(billing.plan, plan))) {
    return switchPlan(billing, plan, now, months);
  }
  return pendingStep(billing, plan, now);
}

/** Takes back a pending change; without one nothing changes. */
export function cancelChange(billing: Billing): BillingStep {
  return { billing: { ...billing, pending: undefined } };
}

/**
 * What a payment of `months` leads to: an upgrade that waited for it, the plan that lapsed, or more time on the plan,
 * with the next cycle where that is due.
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
      `The plan ${billing.plan} needs no payment, and none is awaited.`,
    );
  }
  assertClock(billing, now);
  const from = billing.paidUntil ?? cycleAt(billing.anchor, now).startsAt;
  const until = monthsAfter(billing.anchor, monthsSince(billing.anchor, from) + months);
  if (until > monthsAfter(now, paidAheadMonthsMax)) {
    throw new BillingFault(
      'paid_too_far_ahead',
      `It can be paid ${paidAheadMonthsMax} months ahead at most.`,
    );
  }
  const paidFor = billing.pending?.plan ?? billing.plan;
  const paid: PaidPeriod = { plan: needsPayment(paidFor) ? paidFor : billing.plan, from, until };
  const extended = { ...billing, paidUntil: until };
  return { ...(renew(extended, now, graceDays) ?? { billing: extended }), paid };
}

/**
 * What the end of a cycle leads to: the next cycle, of a smaller plan where that was asked for; nothing while a missing
 * payment has its days of grace; a lapse after them. Cycles that were missed altogether are passed over: their credits
 * would have expired. Answers nothing when nothing is due.
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

/** Falls back to the free plan, in a cycle that is anchored now. An upgrade that was asked for still awaits payment. */
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

/** Goes back to the plan that lapsed, in a cycle that begins now; the operator's word stands for the payment. */
export function resume(billing: Billing, now: Date, months = 1): BillingStep {
  if (!billing.lapsed) {
    throw new BillingFault('not_lapsed', 'No plan of this account has lapsed.');
  }
  return switchPlan(billing, billing.lapsed.plan, now, months);
}

/** When the renewing worker has to look at an account again. */
export function nextLookAt(billing: Billing, now: Date, graceDays: number): Date {
  if (!billing.cycle) {
    return now;
  }
  if (now < billing.cycle.endsAt) {
    return billing.cycle.endsAt;
  }
  // A downgrade that is asked for during the days of grace need not wait for their end.
  return billing.pending?.takesEffect === 'at_cycle_end' ? now : (lapsesAt(billing, graceDays) ?? now);
}

/** When an unpaid plan lapses; absent where none is needed. */
export function lapsesAt(billing: Billing, graceDays: number): Date | undefined {
  return billing.paidUntil && new Date(billing.paidUntil.getTime() + graceDays * dayMs);
}

export type PaymentState = 'not_needed' | 'paid' | 'overdue' | 'lapsed';

/** `overdue`: what was paid for is over, and the days of grace run. `lapsed`: they are over too. */
export function paymentState(billing: Billing, now: Date): PaymentState {
  if (billing.lapsed) {
    return 'lapsed';
  }
  if (!billing.paidUntil) {
    return 'not_needed';
  }
  return now < billing.paidUntil ? 'paid' : 'overdue';
}

/** An account that has had no cycle yet begins with the one that holds now; what it had until here counts as paid. */
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
    throw new BillingFault('same_plan', `The account is on the plan ${plan}.`);
  }
  if (billing.pending?.plan === plan) {
    // Asked for once more.
    return { billing };
  }
  const takesEffect = isUpgrade(billing.plan, plan) ? 'on_payment' : 'at_cycle_end';
  return { billing: { ...billing, pending: { plan, takesEffect, requestedAt: now } } };
}

/** A cycle's start names it in the ledger, so a second change in the same millisecond begins one later. */
function switchPlan(billing: Billing, plan: PlanName, now: Date, months: number): BillingStep {
  assertClock(billing, now);
  const earliestMs = billing.cycle ? billing.cycle.startsAt.getTime() + 1 : 0;
  return startPlan(plan, new Date(Math.max(now.getTime(), earliestMs)), months);
}

function assertClock({ cycle }: Billing, now: Date): void {
  if (cycle && now.getTime() < cycle.startsAt.getTime() - clockSkewMs) {
    throw new BillingFault(
      'clock_behind',
      `The current cycle began at ${cycle.startsAt.toISOString()}; nothing can happen before that.`,
    );
  }
}

function isUpgrade(from: PlanName, to: PlanName): boolean {
  return plans[to].creditsPerCycle > plans[from].creditsPerCycle;
}
