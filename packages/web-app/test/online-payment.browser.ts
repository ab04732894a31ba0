import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type AppHouse, flawsOf, openAppHouse } from './app-house.ts';

/** Answers as Stripe, with the addresses of its pages. */
const pages: Readonly<Record<string, object>> = {
  '/v1/customers': { id: 'cus_1' },
  '/v1/checkout/sessions': { id: 'cs_1', url: 'https://checkout.stripe.example/order' },
  '/v1/billing_portal/sessions': { id: 'bps_1', url: 'https://billing.stripe.example/portal' },
};

let stripe: Server;
let app: AppHouse;

beforeAll(async () => {
  stripe = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(pages[request.url ?? ''] ?? { object: 'list', data: [], has_more: false }));
  }).listen(0, '127.0.0.1');
  await once(stripe, 'listening');
  app = await openAppHouse({
    only: ['gateway', 'credit-ledger'],
    env: {
      gateway: {
        STRIPE_SECRET_KEY: 'sk_test_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
        STRIPE_PRICES: 'starter=price_1,growth=price_2,scale=price_3,1000=price_4',
        STRIPE_API_URL: `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`,
      },
    },
  });
});

afterAll(async () => {
  await app?.stop();
  stripe?.closeAllConnections();
  await new Promise(resolve => stripe?.close(resolve));
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('a plan that is paid online', () => {
  it('leads to the page of the order, also later, and to invoices and top-ups', async () => {
    const customer = await app.customer({ plan: 'free', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account');
    await context.route(/stripe\.example/, route => route.fulfill({ body: 'A page of Stripe' }));
    await page.getByRole('heading', { name: 'Payment' }).waitFor();
    // Nothing has been ordered, so there is no portal.
    await button(page, 'Buy 1,000 credits').waitFor();
    expect(await button(page, 'Open invoices').count()).toBe(0);
    await button(page, 'Choose Growth').press('Enter');
    await button(page, 'Change to Growth').press('Enter');
    await page.getByText('The plan starts a few seconds after you pay.').waitFor();
    expect(await flawsOf(page, 'account-plan-online')).toEqual([]);
    await page.reload();
    await button(page, 'Pay').press('Enter');
    await page.waitForURL('https://checkout.stripe.example/order');
    await page.goBack();
    // While the page of the provider loads, a second press does not order again.
    const orders: string[] = [];
    page.on('request', request => request.url().endsWith('/plan/top-up') && orders.push(request.method()));
    let open = () => {};
    const opened = new Promise<void>(resolve => {
      open = resolve;
    });
    await context.route(/stripe\.example/, route => opened.then(() => route.fallback()), { times: 1 });
    const leaving = page.waitForRequest(/stripe\.example/);
    await button(page, 'Buy 1,000 credits').press('Enter');
    await leaving;
    await page.keyboard.press('Enter');
    open();
    await page.waitForURL('https://checkout.stripe.example/order');
    expect(orders).toEqual(['POST']);
    await page.goBack();
    await button(page, 'Open invoices').press('Enter');
    await page.waitForURL('https://billing.stripe.example/portal');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
