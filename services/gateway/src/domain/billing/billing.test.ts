import { describe, expect, it } from '@jest/globals';
import { choosablePlanNames, type PlanName, plans } from '@mailproof/shared-types';
import fc from 'fast-check';
import {
  type Billing,
  BillingFault,
  type BillingStep,
  cancelChange,
  changePlan,
  lapse,
  lapsesAt,
  needsPayment,
  nextCheckAt,
  pay,
  payFor,
  paymentState,
  renew,
  requestPlan,
  resume,
  startPlan,
  topUp,
} from './billing.ts';

const graceDays = 7;
const begin = at('2026-01-31T12:00:00Z');

function at(text: string): Date {
  return new Date(text);
}

function started(plan: PlanName, months = 1): Billing {
  return startPlan(plan, begin, months).billing;
}

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BillingFault) {
      return error.kind;
    }
    throw error;
  }
  return 'none';
}

describe('a plan that starts', () => {
  it('has a cycle of a month from now, which the ledger opens, and is paid for that long', () => {
    const { billing, opens, paid } = startPlan('growth', begin);
    expect(opens).toEqual({ startsAt: begin, endsAt: at('2026-02-28T12:00:00Z') });
    expect(billing.paidUntil).toEqual(opens?.endsAt);
    expect(paid).toEqual({ plan: 'growth', from: begin, until: opens?.endsAt });
    expect(paymentState(billing, begin)).toBe('paid');
  });

  it.each(['free', 'custom'] as const)('needs no payment when it is %s', plan => {
    expect(startPlan(plan, begin).paid).toBeUndefined();
    expect(paymentState(started(plan), at('2030-01-01T00:00:00Z'))).toBe('not_needed');
  });
});

describe('an upgrade', () => {
  const now = at('2026-02-10T08:00:00Z');

  it('waits for its payment when the customer asks, and begins a cycle then', () => {
    const { billing, opens } = requestPlan(started('starter'), 'growth', now);
    expect(opens).toBeUndefined();
    expect(billing).toMatchObject({
      plan: 'starter',
      pending: { plan: 'growth', takesEffect: 'on_payment' },
    });
    const later = at('2026-02-12T08:00:00Z');
    const upgraded = pay(billing, later, 1, graceDays);
    expect(upgraded).toMatchObject({
      billing: { plan: 'growth', anchor: later, pending: undefined, paidUntil: at('2026-03-12T08:00:00Z') },
      opens: { startsAt: later, endsAt: at('2026-03-12T08:00:00Z') },
      paid: { plan: 'growth' },
    });
  });

  it('happens at once when the operator makes it', () => {
    const { billing, opens } = changePlan(started('starter'), 'scale', now);
    expect(billing.plan).toBe('scale');
    expect(opens?.startsAt).toEqual(now);
  });

  it('does not begin where another cycle of the account began, in the same millisecond either', () => {
    const once = changePlan(started('starter'), 'growth', begin);
    const twice = changePlan(once.billing, 'scale', begin);
    expect(once.opens?.startsAt.getTime()).toBe(begin.getTime() + 1);
    expect(twice.opens?.startsAt.getTime()).toBe(begin.getTime() + 2);
  });
});

describe('a downgrade', () => {
  const asked = requestPlan(started('scale'), 'starter', at('2026-02-10T08:00:00Z')).billing;

  it('changes nothing before the end of the cycle', () => {
    expect(asked).toMatchObject({ plan: 'scale', pending: { plan: 'starter', takesEffect: 'at_cycle_end' } });
    expect(renew(asked, at('2026-02-28T11:59:59Z'), graceDays)).toBeUndefined();
  });

  it('takes effect with the next cycle, of the same anchor, once that is paid', () => {
    const paid = pay(asked, at('2026-02-20T00:00:00Z'), 1, graceDays);
    expect(paid.paid?.plan).toBe('starter');
    expect(renew(paid.billing, at('2026-02-28T12:00:00Z'), graceDays)).toMatchObject({
      billing: { plan: 'starter', anchor: begin, pending: undefined },
      opens: { startsAt: at('2026-02-28T12:00:00Z'), endsAt: at('2026-03-31T12:00:00Z') },
    });
  });

  it('to free needs no payment', () => {
    const free = requestPlan(started('growth'), 'free', begin).billing;
    expect(renew(free, at('2026-02-28T12:00:00Z'), graceDays)).toMatchObject({
      billing: { plan: 'free', paidUntil: undefined, lapsed: undefined },
      opens: { startsAt: at('2026-02-28T12:00:00Z') },
    });
  });

  it('that is asked for during the days of grace takes effect at once', () => {
    const inGrace = at('2026-03-02T00:00:00Z');
    const late = requestPlan(started('growth'), 'free', inGrace).billing;
    expect(nextCheckAt(late, inGrace, graceDays)).toEqual(inGrace);
    expect(renew(late, inGrace, graceDays)?.billing).toMatchObject({ plan: 'free', lapsed: undefined });
  });

  it('can be taken back', () => {
    expect(cancelChange(asked).billing).toEqual(started('scale'));
  });
});

describe('the end of a cycle', () => {
  it('renews free accounts and those by agreement without payment, without an end', () => {
    for (const plan of ['free', 'custom'] as const) {
      const step = renew(started(plan), at('2031-05-05T00:00:00Z'), graceDays);
      expect(step).toMatchObject({
        billing: { plan },
        opens: { startsAt: at('2031-04-30T12:00:00Z'), endsAt: at('2031-05-31T12:00:00Z') },
      });
    }
  });

  it('opens one cycle after several were missed: what has expired is not granted', () => {
    const paid = started('growth', 12);
    const step = renew(paid, at('2026-06-15T00:00:00Z'), graceDays);
    expect(step?.opens).toEqual({ startsAt: at('2026-05-31T12:00:00Z'), endsAt: at('2026-06-30T12:00:00Z') });
    expect(step && renew(step.billing, at('2026-06-15T00:00:00Z'), graceDays)).toBeUndefined();
  });

  it('keeps an unpaid plan for the days of grace, without new credits, and then lapses it to free', () => {
    const billing = started('growth');
    const inGrace = at('2026-03-07T11:59:59Z');
    expect(renew(billing, inGrace, graceDays)).toBeUndefined();
    expect(paymentState(billing, inGrace)).toBe('overdue');
    const over = at('2026-03-07T12:00:00Z');
    expect(lapsesAt(billing, graceDays)).toEqual(over);
    expect(nextCheckAt(billing, inGrace, graceDays)).toEqual(over);
    const lapsed = renew(billing, over, graceDays);
    expect(lapsed).toMatchObject({
      billing: { plan: 'free', anchor: over, lapsed: { plan: 'growth', at: over }, paidUntil: undefined },
      opens: { startsAt: over },
    });
    expect(lapsed && paymentState(lapsed.billing, over)).toBe('lapsed');
  });

  it('gives a payment within the days of grace the cycle that it is for, from its beginning', () => {
    const step = pay(started('growth'), at('2026-03-03T00:00:00Z'), 1, graceDays);
    expect(step.opens).toEqual({ startsAt: at('2026-02-28T12:00:00Z'), endsAt: at('2026-03-31T12:00:00Z') });
    expect(step.billing.paidUntil).toEqual(at('2026-03-31T12:00:00Z'));
  });

  it('begins the first cycle of an account that has had none, counted from its anchor', () => {
    const fresh = { ...started('starter'), cycle: undefined, paidUntil: undefined };
    expect(renew(fresh, at('2026-03-15T00:00:00Z'), graceDays)).toMatchObject({
      billing: { plan: 'starter', paidUntil: at('2026-03-31T12:00:00Z') },
      opens: { startsAt: at('2026-02-28T12:00:00Z') },
    });
  });
});

describe('a plan that lapsed', () => {
  const lapsed = lapse(started('growth'), at('2026-02-10T00:00:00Z')).billing;
  const now = at('2026-05-01T00:00:00Z');

  it('comes back with its payment, in a cycle that begins then', () => {
    const step = pay(lapsed, now, 2, graceDays);
    expect(step).toMatchObject({
      billing: { plan: 'growth', lapsed: undefined, paidUntil: at('2026-07-01T00:00:00Z') },
      opens: { startsAt: now, endsAt: at('2026-06-01T00:00:00Z') },
    });
  });

  it('comes back by the operator’s word', () => {
    expect(resume(lapsed, now).billing).toMatchObject({ plan: 'growth', lapsed: undefined });
  });

  it('gives way to an upgrade that is asked for and paid', () => {
    const asked = requestPlan(lapsed, 'scale', now).billing;
    expect(pay(asked, now, 1, graceDays).billing).toMatchObject({ plan: 'scale', lapsed: undefined });
  });
});

describe('a step that makes no sense', () => {
  it.each([
    ['same_plan', () => requestPlan(started('growth'), 'growth', begin)],
    ['by_agreement', () => requestPlan(started('growth'), 'custom', begin)],
    ['by_agreement', () => requestPlan(started('custom'), 'growth', begin)],
    ['needs_no_payment', () => pay(started('custom'), begin, 1, graceDays)],
    ['needs_no_payment', () => lapse(started('free'), begin)],
    ['not_lapsed', () => resume(started('growth'), begin)],
    ['clock_behind', () => changePlan(started('starter'), 'growth', at('2026-01-01T00:00:00Z'))],
    ['paid_too_far_ahead', () => pay(started('growth'), begin, 120, graceDays)],
  ])('is refused: %s', (kind, work) => {
    expect(faultOf(work)).toBe(kind);
  });
});

type Act = (billing: Billing, now: Date) => BillingStep | undefined;

const anyPlan = fc.constantFrom(...choosablePlanNames, 'custom' as const);
const anyMonths = fc.integer({ min: 1, max: 4 });
const acts: fc.Arbitrary<Act> = fc.oneof(
  anyPlan.map(
    (plan): Act =>
      (billing, now) =>
        requestPlan(billing, plan, now),
  ),
  fc.tuple(anyPlan, anyMonths).map(
    ([plan, months]): Act =>
      (billing, now) =>
        changePlan(billing, plan, now, months),
  ),
  anyMonths.map(
    (months): Act =>
      (billing, now) =>
        pay(billing, now, months, graceDays),
  ),
  fc.constant<Act>((billing, now) => renew(billing, now, graceDays)),
  fc.constant<Act>(lapse),
  fc.constant<Act>((billing, now) => resume(billing, now)),
  fc.constant<Act>(billing => cancelChange(billing)),
);

describe('any history', () => {
  it('opens cycles that begin one after the other, holds plans and payments together, and lapses nothing paid', () => {
    fc.assert(
      fc.property(
        anyPlan,
        fc.array(fc.tuple(acts, fc.integer({ min: 0, max: 45 * 86_400_000 })), { maxLength: 30 }),
        (plan, history) => {
          let { billing, opens } = startPlan(plan, begin) as {
            billing: Billing;
            opens?: BillingStep['opens'];
          };
          let nowMs = begin.getTime();
          for (const [act, laterMs] of history) {
            nowMs += laterMs;
            const now = new Date(nowMs);
            let step: BillingStep | undefined;
            try {
              step = act(billing, now);
            } catch (error) {
              expect(error).toBeInstanceOf(BillingFault);
            }
            if (step?.opens) {
              expect(step.opens.startsAt.getTime()).toBeGreaterThan(opens?.startsAt.getTime() ?? 0);
              expect(step.opens.endsAt.getTime()).toBeGreaterThan(now.getTime());
              expect(step.billing.cycle).toEqual(step.opens);
              opens = step.opens;
            }
            if (act !== lapse && step?.billing.lapsed && !billing.lapsed) {
              expect(billing.paidUntil?.getTime()).toBeLessThanOrEqual(nowMs - graceDays * 86_400_000);
            }
            billing = step?.billing ?? billing;
            expect(billing.paidUntil !== undefined).toBe(needsPayment(billing.plan));
            expect(billing.lapsed === undefined || !plans[billing.plan].apiAccess).toBe(true);
            const settled = renew(billing, now, graceDays)?.billing ?? billing;
            expect(renew(settled, now, graceDays)).toBeUndefined();
            expect(nextCheckAt(settled, now, graceDays).getTime()).toBeGreaterThan(nowMs);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a payment that names its plan', () => {
  const soon = at('2026-02-10T00:00:00Z');
  const later = at('2026-03-01T00:00:00Z');
  const month = (plan: PlanName) => ({ plan, months: 1 });

  it('starts a larger plan, whether it was requested, withdrawn or lapsed', () => {
    const asked = requestPlan(started('free'), 'growth', begin).billing;
    const lapsed = lapse(started('growth'), at('2026-02-09T00:00:00Z')).billing;
    for (const before of [asked, cancelChange(asked).billing, lapsed]) {
      const { billing, paid } = payFor(before, month('growth'), soon, graceDays);
      expect(billing).toMatchObject({ plan: 'growth', pending: undefined, lapsed: undefined });
      expect(paid).toMatchObject({ plan: 'growth', from: soon });
    }
  });

  it('extends the current plan while an upgrade waits, instead of starting it', () => {
    const asked = requestPlan(started('starter'), 'scale', begin).billing;
    const { billing, paid, opens } = payFor(asked, month('starter'), later, graceDays);
    expect(billing).toMatchObject({ plan: 'starter', pending: { plan: 'scale' } });
    expect(paid).toMatchObject({ plan: 'starter' });
    expect(opens?.startsAt).toEqual(at('2026-02-28T12:00:00Z'));
  });

  it('keeps the wish for a still larger plan, and no other', () => {
    const asked = requestPlan(started('free'), 'scale', begin).billing;
    expect(payFor(asked, month('growth'), soon, graceDays).billing.pending?.plan).toBe('scale');
    const less = requestPlan(started('free'), 'starter', begin).billing;
    expect(payFor(less, month('growth'), soon, graceDays).billing.pending).toBeUndefined();
  });

  it('pays the smaller plan that follows, and a month of the larger one that was collected before it', () => {
    const asked = requestPlan(started('growth'), 'starter', begin).billing;
    const smaller = payFor(asked, month('starter'), later, graceDays);
    expect(smaller.billing).toMatchObject({ plan: 'starter', pending: undefined });
    expect(smaller.paid).toMatchObject({ plan: 'starter' });
    const larger = payFor(asked, month('growth'), later, graceDays);
    expect(larger.billing).toMatchObject({ plan: 'growth', pending: { plan: 'starter' } });
    expect(larger.paid).toMatchObject({ plan: 'growth' });
  });

  it('is refused if the account cannot use it', () => {
    expect(faultOf(() => payFor(started('scale'), month('growth'), soon, graceDays))).toBe('other_plan');
    expect(faultOf(() => payFor(started('custom'), month('growth'), soon, graceDays))).toBe('other_plan');
    expect(faultOf(() => payFor(started('free'), month('free'), soon, graceDays))).toBe('other_plan');
  });
});

describe('a top-up', () => {
  it('changes nothing but the credits, which expire in a year', () => {
    const before = started('free');
    const { billing, toppedUp, ...rest } = topUp(before, 500, begin);
    expect({ billing, rest }).toEqual({ billing: before, rest: {} });
    expect(toppedUp).toEqual({ credits: 500, expiresAt: at('2027-01-31T12:00:00Z') });
  });
});
