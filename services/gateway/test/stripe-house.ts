import type { AccountId } from '@mailproof/shared-types';
import pg from 'pg';
import { accounting, openTestHouse, type Person, type TestHouse } from './house.ts';
import { type StepProxy, startStepProxy } from './step-proxy.ts';
import { type PeerInvoice, type StripePeer, startStripePeer, stripeWebhookSecret } from './stripe-peer.ts';
import { until } from './until.ts';

/** A gateway and a ledger that collect payments by Stripe, with proxies before a scripted Stripe and the ledger. */
export interface StripeHouse {
  readonly test: TestHouse;
  readonly peer: StripePeer;
  readonly proxy: StepProxy;
  readonly ledgerProxy: StepProxy;
  /** As the owner of the gateway's tables. */
  readonly database: pg.Pool;
  /** A signed-in owner of a new account. */
  owner(plan?: 'free' | 'starter'): Promise<Person>;
  /** Requests a plan; returns the page where it is paid. */
  order(owner: Person, plan: string): Promise<string>;
  deliver(invoice: PeerInvoice): Promise<number>;
  payments(owner: Person): Promise<Record<string, unknown>[]>;
  plan(owner: Person): Promise<Record<string, unknown>>;
  credits(owner: Person): Promise<number>;
  untilCredits(owner: Person, credits: number): Promise<void>;
  stop(): Promise<void>;
}

export const stripeSettingsOfTests = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
  STRIPE_PRICES: 'starter=price_starter,growth=price_growth,scale=price_scale,1000=price_1000',
};

export async function openStripeHouse(inOneProcess: boolean): Promise<StripeHouse> {
  const peer = await startStripePeer();
  const proxy = await startStepProxy();
  const ledgerProxy = await startStepProxy();
  proxy.passTo(peer.url);
  const test = await openTestHouse({
    inOneProcess,
    only: accounting,
    env: {
      gateway: { ...stripeSettingsOfTests, STRIPE_API_URL: proxy.url, CREDIT_LEDGER_URL: ledgerProxy.url },
    },
  });
  ledgerProxy.passTo(test.house.services['credit-ledger']?.url ?? '');
  const database = new pg.Pool({
    connectionString: test.house.databaseUrls['gateway']?.migrationDatabaseUrl,
  });
  database.on('error', () => undefined);
  const [gatewayUrl = ''] = test.house.gatewayUrls;
  const credits = (owner: Person) =>
    test.operator.available?.(owner.accountId as AccountId) ?? Promise.reject(new Error('no ledger'));
  return {
    test,
    peer,
    proxy,
    ledgerProxy,
    database,
    credits,
    async owner(plan = 'free') {
      const { accountId } = await test.accounts.create({ name: 'Stripe Test', plan, credits: 0 });
      return (await test.owner({ accountId })).signIn();
    },
    async order(owner, plan) {
      const { status, body } = await owner.post('/plan/change', { plan });
      const { url } = Object(body['payment']) as { url?: string };
      if (status !== 200 || url === undefined) {
        throw new Error(`The order was answered with ${status} ${JSON.stringify(body)}.`);
      }
      return url;
    },
    deliver: invoice => peer.deliver(gatewayUrl, { type: 'invoice.paid', object: invoice }),
    async payments({ accountId }) {
      const sql =
        'SELECT * FROM payment WHERE account_id = $1 AND reference IS NOT NULL ORDER BY recorded_at';
      return (await database.query(sql, [accountId])).rows;
    },
    async plan(owner) {
      return (await owner.get('/plan')).body;
    },
    async untilCredits(owner, expected) {
      await until(
        `${expected} credits`,
        () => credits(owner),
        found => found === expected,
      );
    },
    async stop() {
      await database.end();
      await test.stop();
      await proxy.close();
      await ledgerProxy.close();
      await peer.close();
    },
  };
}
