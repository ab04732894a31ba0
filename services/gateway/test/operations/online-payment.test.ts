import { afterAll, beforeAll, expect } from '@jest/globals';
import { buyCredits, openPaymentPortal } from '@mailproof/shared-types';
import { openSharedHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { openStripeHouse, type StripeHouse } from '../stripe-house.ts';

let house: StripeHouse;

beforeAll(async () => {
  house = await openStripeHouse(true);
});

afterAll(() => house?.stop());

const portal = { method: 'POST' };

/** An owner of a new account who signs in, but is only a member from now on. */
async function memberOfOne() {
  const person = await house.owner();
  await house.database.query("UPDATE app_user SET role = 'member' WHERE user_id = $1", [person.userId]);
  return person;
}

/** The customer whose page this is. */
function customerOf(url: unknown): string {
  return String(url).split('/').at(-1) ?? '';
}

describeOperation(openPaymentPortal, {
  async success() {
    const owner = await house.owner();
    await house.order(owner, 'growth');
    const { status, body } = await owner.send('/plan/payment-portal', portal);
    expect(status).toBe(200);
    const { url } = openPaymentPortal.success.schema.strict().parse(body);
    expect(house.peer.customers.has(customerOf(url))).toBe(true);
  },
  async badInput() {
    const owner = await house.owner();
    // It has ordered nothing.
    expect(await owner.send('/plan/payment-portal', portal)).toMatchObject({
      status: 409,
      body: { code: 'online_payment_not_available' },
    });
    expect((await owner.send('/plan/payment-portal?more=1', portal)).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await house.test.stranger().send('/plan/payment-portal', portal)).status).toBe(401);
    const member = await memberOfOne();
    expect((await member.send('/plan/payment-portal', portal)).body['code']).toBe('owner_required');
  },
  async anotherTenant() {
    const [one, other] = [await house.owner(), await house.owner()];
    await house.order(one, 'growth');
    await house.order(other, 'growth');
    const first = customerOf((await one.send('/plan/payment-portal', portal)).body['url']);
    const second = customerOf((await other.send('/plan/payment-portal', portal)).body['url']);
    expect(house.peer.customers.has(first)).toBe(true);
    expect(second).not.toBe(first);
  },
});

describeOperation(buyCredits, {
  async success() {
    const owner = await house.owner();
    const { status, body } = await owner.post('/plan/top-up', { credits: 1_000 });
    expect(status).toBe(200);
    const { url } = buyCredits.success.schema.strict().parse(body);
    const session = [...house.peer.sessions.values()].find(each => each.url === url);
    expect(session).toMatchObject({ mode: 'payment', price: 'price_1000', status: 'open' });
  },
  async badInput() {
    const owner = await house.owner();
    expect(await owner.post('/plan/top-up', { credits: 999 })).toMatchObject({
      status: 409,
      body: { code: 'online_payment_not_available' },
    });
    for (const body of [{}, { credits: 0 }, { credits: '1000' }, { credits: 1_000, price: 'price_1' }]) {
      expect((await owner.post('/plan/top-up', body)).body['code']).toBe('invalid_request');
    }
    // A house without Stripe sells nothing online.
    const manual = await openSharedHouse();
    try {
      const elsewhere = await (await manual.owner()).signIn();
      expect((await elsewhere.post('/plan/top-up', { credits: 1_000 })).status).toBe(409);
      expect((await elsewhere.get('/plan')).body['online_payment']).toBeNull();
      const [url = ''] = manual.house.gatewayUrls;
      expect(await house.peer.deliver(url, { type: 'invoice.paid', object: { id: 'in_1' } })).toBe(404);
    } finally {
      await manual.stop();
    }
  },
  async noCredentials() {
    expect((await house.test.stranger().post('/plan/top-up', { credits: 1_000 })).status).toBe(401);
    const member = await memberOfOne();
    expect((await member.post('/plan/top-up', { credits: 1_000 })).body['code']).toBe('owner_required');
  },
  async anotherTenant() {
    const [one, other] = [await house.owner(), await house.owner()];
    const { body } = await one.post('/plan/top-up', { credits: 1_000 });
    const invoice = house.peer.pay(String(body['url']));
    expect(await house.deliver(invoice)).toBe(200);
    expect(await house.payments(one)).toHaveLength(1);
    expect(await house.payments(other)).toEqual([]);
  },
});
