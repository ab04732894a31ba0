import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { providedFolder, runProgram } from '@mailproof/dev-house';
import { type AccountId, newId } from '@mailproof/shared-types';
import { createStripePayment, type StripeOptions } from '../src/adapters/payment/stripe-payment.ts';
import type { PaymentProvider } from '../src/domain/billing/payment-port.ts';
import { stripePrices } from '../src/stripe-settings.ts';
import { until } from './until.ts';

/*
 * Sends each of our requests to Stripe's own mock, which checks paths and parameters against Stripe's specification and
 * remembers nothing. Run with `pnpm test:stripe`; needs Go.
 */

const pins = join(import.meta.dirname, 'stripe-mock');

let mock: ChildProcess;
let options: StripeOptions;
let provider: PaymentProvider;

beforeAll(async () => {
  const folder = providedFolder({
    name: 'stripe-mock',
    cache: 'stripe-mock',
    pins,
    files: ['go.mod', 'go.sum'],
    report: line => process.stderr.write(`${line}\n`),
    make: made =>
      runProgram('go', ['build', '-buildvcs=false', '-mod=readonly', '-o', `${made}/`, 'tool'], {
        cwd: pins,
        env: { CGO_ENABLED: '0' },
      }),
  });
  const port = await freePort();
  mock = spawn(join(folder, 'stripe-mock'), ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
  const kept = new Map<AccountId, string>();
  options = {
    secretKey: 'sk_test_mock',
    apiUrl: `http://127.0.0.1:${port}`,
    prices: stripePrices.parse('starter=price_1,growth=price_2,scale=price_3,500=price_4'),
    automaticTax: true,
    planUrl: 'https://mail.example/app/account',
    customers: {
      find: async accountId => kept.get(accountId),
      async keep(accountId, customerId) {
        kept.set(accountId, customerId);
        return customerId;
      },
    },
  };
  provider = createStripePayment(options);
  const asked = () =>
    fetch(options.apiUrl).then(
      () => true,
      () => false,
    );
  await until('the mock answers', asked, answers => answers);
}, 600_000);

afterAll(async () => {
  if (mock?.exitCode === null) {
    mock.kill();
    await once(mock, 'exit');
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

describe('our requests to Stripe', () => {
  it('order each plan and sell credits, with and without taxes', async () => {
    for (const automaticTax of [true, false]) {
      const each = createStripePayment({ ...options, automaticTax });
      const accountId = newId('account');
      for (const plan of ['starter', 'growth', 'scale'] as const) {
        const order = await each.order({ accountId, plan, orderedAt: new Date() });
        expect(order).toMatchObject({ kind: 'pay_online', url: expect.stringMatching(/^https:/) });
      }
      expect(await each.buyCredits(accountId, 500)).toMatch(/^https:/);
      expect(await each.portal(accountId)).toMatch(/^https:/);
    }
    expect(await provider.portal(newId('account'))).toBeUndefined();
  });

  it('read invoices, alone and as a list', async () => {
    expect(await provider.invoice('in_1')).toMatchObject({ invoiceId: 'in_1' });
    const pages = [];
    for await (const page of provider.paidInvoices(new Date(0))) {
      pages.push(...page);
    }
    expect(pages.length).toBeGreaterThan(0);
  });

  it('list and change subscriptions, and end open pages', async () => {
    expect(await provider.subscriptions('cus_1')).toEqual([]);
    for (const kind of ['end_with_period', 'continue', 'cancel'] as const) {
      await provider.changeSubscription({ kind, subscriptionId: 'sub_1' });
    }
    await provider.changeSubscription({ kind: 'switch', subscriptionId: 'sub_1', plan: 'starter' });
    expect((await provider.openOrders('cus_1')).length).toBeGreaterThan(0);
    await provider.endOrder('cs_1');
  });

  it('are refused by the mock if a parameter does not exist', async () => {
    const response = await fetch(`${options.apiUrl}/v1/customers`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_mock', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'no_such_parameter=1',
    });
    expect(response.status).toBe(400);
  });
});
