import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '@mailproof/dev-house';
import { plans } from '@mailproof/shared-types';
import { blocksOf } from './page-commands.ts';
import { runInProcess } from './run-in-process.ts';
import { openStripeHouse, type StripeHouse } from './stripe-house.ts';
import type { PeerSubscription } from './stripe-peer.ts';
import { until } from './until.ts';

let house: StripeHouse;

beforeAll(async () => {
  house = await openStripeHouse(true);
});

afterAll(() => house?.stop());

const free = plans.free.creditsPerCycle;
const starter = plans.starter.creditsPerCycle;
const growth = plans.growth.creditsPerCycle;

/** Orders, pays and reports a plan. */
async function subscribe(owner: Awaited<ReturnType<StripeHouse['owner']>>, plan: string) {
  const invoice = house.peer.pay(await house.order(owner, plan));
  expect(await house.deliver(invoice)).toBe(200);
  const subscription = [...house.peer.subscriptions.values()].at(-1);
  if (!subscription) throw new Error('Stripe has no subscription.');
  return subscription;
}

function untilStripe(what: string, subscription: PeerSubscription, facts: Partial<PeerSubscription>) {
  return until(
    what,
    async () => subscription,
    found => Object.entries(facts).every(([name, value]) => found[name as keyof PeerSubscription] === value),
  );
}

describe('an order', () => {
  it('is paid on a page of Stripe, starts the plan, and grants its credits', async () => {
    const owner = await house.owner();
    const url = await house.order(owner, 'growth');
    expect(await house.plan(owner)).toMatchObject({
      plan: { name: 'free' },
      online_payment: { has_portal: true, top_ups: [1_000] },
    });
    const session = [...house.peer.sessions.values()].at(-1);
    expect(session).toMatchObject({ url, mode: 'subscription', price: 'price_growth' });
    expect(session?.params.get('client_reference_id')).toBe(owner.accountId);
    const invoice = house.peer.pay(url);
    expect(await house.deliver(invoice)).toBe(200);
    expect(await house.plan(owner)).toMatchObject({ plan: { name: 'growth' }, pending_change: null });
    expect(await house.payments(owner)).toMatchObject([
      { plan: 'growth', reference: `stripe:${invoice.id}` },
    ]);
    await house.untilCredits(owner, free + growth);
  });

  it('has one page and one customer, however often it is sent', async () => {
    const owner = await house.owner();
    const customers = house.peer.customers.size;
    const urls = await Promise.all([house.order(owner, 'scale'), house.order(owner, 'scale')]);
    urls.push(await house.order(owner, 'scale'));
    expect(new Set(urls).size).toBe(1);
    expect(house.peer.customers.size).toBe(customers + 1);
  });

  it('cannot be paid once it is withdrawn or replaced', async () => {
    const owner = await house.owner();
    await house.order(owner, 'starter');
    const session = [...house.peer.sessions.values()].at(-1);
    const later = await house.order(owner, 'growth');
    await until(
      'the end of the first page',
      async () => session?.status,
      status => status === 'expired',
    );
    const second = [...house.peer.sessions.values()].find(({ url }) => url === later);
    expect(second?.status).toBe('open');
    expect((await owner.delete('/plan/change')).status).toBe(200);
    await until(
      'the end of the second page',
      async () => second?.status,
      status => status === 'expired',
    );
  });

  it('is answered with 503 while Stripe does not answer, and can be repeated', async () => {
    const owner = await house.owner();
    house.proxy.passTo('http://127.0.0.1:1');
    expect((await owner.post('/plan/change', { plan: 'growth' })).status).toBe(503);
    expect(await house.plan(owner)).toMatchObject({ pending_change: { plan: 'growth' } });
    house.proxy.passTo(house.peer.url);
    expect(await house.order(owner, 'growth')).toMatch(/^https:/);
  });
});

describe('the webhook', () => {
  it('records an invoice once, however often it is reported', async () => {
    const owner = await house.owner();
    const invoice = house.peer.pay(await house.order(owner, 'starter'));
    const statuses = await Promise.all(Array.from({ length: 8 }, () => house.deliver(invoice)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await house.payments(owner)).toHaveLength(1);
    await house.untilCredits(owner, free + starter);
  });

  it('refuses other signatures, old ones, and none', async () => {
    const owner = await house.owner();
    const invoice = house.peer.pay(await house.order(owner, 'starter'));
    const [gatewayUrl = ''] = house.test.house.gatewayUrls;
    const event = { type: 'invoice.paid', object: invoice };
    const old = Math.floor(Date.now() / 1_000) - 600;
    expect(await house.peer.deliver(gatewayUrl, { ...event, secret: 'whsec_other' })).toBe(400);
    expect(await house.peer.deliver(gatewayUrl, { ...event, signedAt: old })).toBe(400);
    const bare = await fetch(`${gatewayUrl}/payments/v1/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'invoice.paid', data: { object: invoice } }),
    });
    expect(bare.status).toBe(400);
    const large = await fetch(`${gatewayUrl}/payments/v1/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' },
      body: 'x'.repeat(1_048_577),
    });
    expect(large.status).toBe(413);
    expect(await house.payments(owner)).toEqual([]);
  });

  it('accepts events that it does not use, invoices of other products, and unpaid ones', async () => {
    const owner = await house.owner();
    const [gatewayUrl = ''] = house.test.house.gatewayUrls;
    const object = { id: 'sub_1' };
    expect(await house.peer.deliver(gatewayUrl, { type: 'customer.subscription.deleted', object })).toBe(200);
    expect(await house.peer.deliver(gatewayUrl, { type: 'made.up', object: {} })).toBe(200);
    expect(await house.peer.deliver(gatewayUrl, { type: 'invoice.paid', object: { id: 'in_none' } })).toBe(
      200,
    );
    expect(await house.deliver(house.peer.addInvoice(owner.accountId, 'price_other'))).toBe(200);
    const open = house.peer.addInvoice(owner.accountId, 'price_growth');
    Object.assign(open, { status: 'open' });
    // The event says that it is paid; Stripe does not.
    expect(await house.deliver({ ...open, status: 'paid' })).toBe(200);
    expect(await house.payments(owner)).toEqual([]);
  });

  it('counts each month once, in any order of events', async () => {
    const owner = await house.owner();
    const first = house.peer.pay(await house.order(owner, 'growth'));
    const subscription = [...house.peer.subscriptions.values()].at(-1);
    const second = house.peer.renew(subscription?.id ?? '');
    expect(await house.deliver(second)).toBe(200);
    expect(await house.deliver(first)).toBe(200);
    expect(await house.deliver(second)).toBe(200);
    const payments = await house.payments(owner);
    expect(payments).toHaveLength(2);
    expect(payments[1]?.['paid_from']).toEqual(payments[0]?.['paid_until']);
    // The credits of the second month arrive with its cycle.
    await house.untilCredits(owner, free + growth);
  });

  it('answers 503 while Stripe cannot be asked, so that Stripe sends the event again', async () => {
    const owner = await house.owner();
    const invoice = house.peer.pay(await house.order(owner, 'growth'));
    house.proxy.passTo('http://127.0.0.1:1');
    expect(await house.deliver(invoice)).toBe(503);
    house.proxy.passTo(house.peer.url);
    expect(await house.deliver(invoice)).toBe(200);
    expect(await house.payments(owner)).toHaveLength(1);
  });
});

describe('a subscription', () => {
  it('ends when a larger plan is paid, and follows a smaller one', async () => {
    const owner = await house.owner();
    const first = await subscribe(owner, 'starter');
    const second = await subscribe(owner, 'scale');
    await untilStripe('the end of the first', first, { status: 'canceled' });
    expect(second).toMatchObject({ status: 'active', price: 'price_scale' });
    await owner.post('/plan/change', { plan: 'growth' });
    await untilStripe('the smaller price', second, { price: 'price_growth' });
    await owner.post('/plan/change', { plan: 'free' });
    await untilStripe('its end with the period', second, { cancel_at_period_end: true });
    await owner.delete('/plan/change');
    await untilStripe('its continuation', second, { cancel_at_period_end: false, price: 'price_scale' });
  });

  it('is canceled when the account is deleted', async () => {
    const owner = await house.owner();
    const subscription = await subscribe(owner, 'growth');
    const body = { password: owner.password, account_name: 'Stripe Test' };
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'DELETE', body: JSON.stringify(body), headers };
    expect((await owner.send('/account', init)).status).toBe(200);
    await untilStripe('its end', subscription, { status: 'canceled' });
    const kept = await house.payments(owner);
    expect(kept).toHaveLength(1);
  });
});

describe('a top-up', () => {
  it('adds its credits once, without a change of the plan', async () => {
    const owner = await house.owner();
    const { status, body } = await owner.post('/plan/top-up', { credits: 1_000 });
    expect(status).toBe(200);
    const invoice = house.peer.pay(String(body['url']));
    expect([await house.deliver(invoice), await house.deliver(invoice)]).toEqual([200, 200]);
    expect(await house.payments(owner)).toMatchObject([{ plan: null, credits: 1_000 }]);
    await house.untilCredits(owner, free + 1_000);
    expect(await house.plan(owner)).toMatchObject({ plan: { name: 'free' } });
  });
});

describe('reconciliation', () => {
  it('records what the webhook lost, and names what needs a decision', async () => {
    const [paying, larger] = [await house.owner(), await house.owner()];
    const lost = house.peer.pay(await house.order(paying, 'growth'));
    await subscribe(larger, 'scale');
    // The account cannot use a month of a smaller plan.
    const smaller = house.peer.addInvoice(larger.accountId, 'price_starter');
    const stranger = house.peer.addInvoice(undefined, 'price_growth');
    const vanished = await subscribe(await house.owner(), 'starter');
    const gone = [...house.peer.invoices.keys()].at(-1) ?? '';
    expect(vanished.status).toBe('active');
    house.peer.invoices.delete(gone);
    const found = await house.test.operator.reconcile?.(1);
    expect(found?.recorded).toContain(lost.id);
    expect(found?.unplaced).toEqual(expect.arrayContaining([smaller.id, stranger.id]));
    expect(found?.missing).toEqual([gone]);
    await house.untilCredits(paying, free + growth);
    // A second round, and the late event, find nothing to do.
    const environment = house.test.house.environments.gateway as Record<string, string>;
    const page = await readFile(join(projectRoot, 'docs/payment.md'), 'utf8');
    const [, command = ''] = blocksOf(page, 'sh');
    const [, args = ''] = /^npx pnpm ops (payments reconcile .*)$/m.exec(command) ?? [];
    const { out } = await runInProcess([...args.split(' '), '--json'], environment);
    expect(JSON.parse(out)).toMatchObject({ recorded: [], missing: [gone] });
    expect(await house.deliver(lost)).toBe(200);
    expect(await house.payments(paying)).toHaveLength(1);
  });

  it('leaves a decided invoice alone: one that the operator has recorded by its reference', async () => {
    const owner = await house.owner('starter');
    const invoice = house.peer.addInvoice(undefined, 'price_growth');
    const environment = house.test.house.environments.gateway as Record<string, string>;
    const pay = ['account', 'pay', owner.accountId, '--reference', `stripe:${invoice.id}`];
    expect(await runInProcess(pay, environment)).toMatchObject({ code: 0 });
    expect((await runInProcess(pay, environment)).complaint).toMatch(/recorded already/);
    const found = await house.test.operator.reconcile?.(1);
    expect(found?.unplaced).not.toContain(invoice.id);
    expect(await house.payments(owner)).toHaveLength(1);
  });
});
