import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountId, limits, type PlanName } from '@mailproof/shared-types';
import pg from 'pg';
import { Customer, openTestHouse, type TestHouse, validating } from './house.ts';
import { runInProcess } from './run-in-process.ts';
import { until } from './until.ts';

const dayMs = 86_400_000;

let test: TestHouse;
let ledger: pg.Client;
let gatewayDatabase: pg.Client;

beforeAll(async () => {
  test = await openTestHouse({
    inOneProcess: false,
    only: validating,
    replicas: { gateway: 2 },
    env: { gateway: { BILLING_RENEWAL_INTERVAL_MS: '200' } },
  });
  ledger = await connect('ledger');
  gatewayDatabase = await connect('gateway');
});

afterAll(async () => {
  await ledger.end();
  await gatewayDatabase.end();
  await test.stop();
});

async function connect(schema: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: test.house.databaseUrls[schema]?.databaseUrl });
  await client.connect();
  return client;
}

/** An account on a plan whose cycle started at `startsAt`; its credits have arrived. */
async function open(plan: PlanName, startsAt?: Date): Promise<Customer> {
  const created = await test.accounts.create({ name: 'Test', plan, credits: 0, startsAt });
  await arrived(created.accountId);
  return new Customer(created, test.house.gatewayUrls);
}

function arrived(accountId: string): Promise<number> {
  return until(
    'the arrival of what was granted',
    () => test.accounts.pendingGrants(accountId as AccountId),
    pending => pending === 0,
  );
}

/** Runs an operator command on the running house. */
async function ops(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, complaint } = await runInProcess([...args, '--json'], test.house.environments.gateway);
  if (code !== 0) {
    throw new Error(`The command ended with ${code}: ${complaint}`);
  }
  return JSON.parse(out) as Record<string, unknown>;
}

/** The grants of an account in the ledger, in order of creation. */
async function grants(accountId: string) {
  const { rows } = await ledger.query<{ kind: string; amount: number; expires_at: Date | null }>(
    'SELECT kind, amount::int, expires_at FROM ledger.credit_grant WHERE account_id = $1 ORDER BY created_at',
    [accountId],
  );
  return rows;
}

describe('the credits of a plan', () => {
  it('arrive with its first cycle, and an upgrade adds those of the larger plan in a new cycle', async () => {
    const customer = await open('starter');
    expect(await customer.credits()).toBe(5_000);
    await customer.validate('ada@ordinary.example');
    expect(await customer.credits()).toBe(4_999);

    const upgraded = await ops('account', 'plan', customer.accountId, 'growth');
    await arrived(customer.accountId);
    expect(await customer.credits()).toBe(29_999);
    const [first, second] = await grants(customer.accountId);
    expect(first).toMatchObject({ kind: 'cycle', amount: 5_000 });
    expect(second).toMatchObject({ kind: 'cycle', amount: 25_000 });
    expect(second?.expires_at?.toISOString()).toBe((upgraded['cycle'] as { endsAt: string }).endsAt);
  });

  it('stay as they are with a downgrade until the cycle is over', async () => {
    const customer = await open('growth');
    await ops('account', 'plan', customer.accountId, 'starter');
    await arrived(customer.accountId);
    expect(await customer.credits()).toBe(25_000);
    expect(await grants(customer.accountId)).toHaveLength(1);
  });

  it('follow a downgrade when the worker renews, and what was left of the cycle before is gone', async () => {
    const created = await test.accounts.create({
      name: 'Test',
      plan: 'growth',
      credits: 0,
      startsAt: monthAgo(),
    });
    await ops(
      'account',
      'plan',
      created.accountId,
      'free',
      '--at',
      new Date(Date.now() - 10 * dayMs).toISOString(),
    );
    await until(
      'the renewal',
      () => test.operator.billing.read(created.accountId),
      read => read?.billing.plan === 'free',
    );
    await arrived(created.accountId);
    const shown = await until(
      'the balance of the free plan alone',
      () => ops('account', 'show', created.accountId),
      ({ creditsAvailable }) => creditsAvailable === 100,
    );
    expect(shown).toMatchObject({ plan: 'free', key: { state: 'disabled' }, pendingChange: null });
  });

  it('are renewed once by two gateways, and again after the opening was sent twice', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 10 }, () =>
        test.accounts.create({ name: 'Test', plan: 'free', credits: 0, startsAt: monthAgo() }),
      ),
    );
    for (const { accountId } of accounts) {
      await until(
        'the renewal',
        () => test.operator.billing.read(accountId),
        read => (read?.billing.cycle?.endsAt.getTime() ?? 0) > Date.now(),
      );
      await test.operator.billing.reopenCycle(accountId);
      await arrived(accountId);
      const current = (await grants(accountId)).filter(
        ({ expires_at }) => (expires_at?.getTime() ?? 0) > Date.now(),
      );
      expect(current).toMatchObject([{ kind: 'cycle', amount: 100 }]);
    }
  });

  it('arrive although the gateway was killed when it had just started the cycle', async () => {
    const gateways = ['gateway', 'gateway-2'].map(name => test.house.services[name]);
    await Promise.all(gateways.map(gateway => gateway?.kill('SIGKILL')));
    const { accountId } = await test.accounts.create({
      name: 'Test',
      plan: 'free',
      credits: 0,
      startsAt: monthAgo(),
    });
    await Promise.all(gateways.map(gateway => gateway?.restart()));
    await until(
      'the renewal',
      () => test.operator.billing.read(accountId),
      read => (read?.billing.cycle?.endsAt.getTime() ?? 0) > Date.now(),
    );
    for (const gateway of gateways) {
      await gateway?.kill('SIGKILL');
      await gateway?.restart();
    }
    await arrived(accountId);
    expect((await ops('account', 'show', accountId))['creditsAvailable']).toBe(100);
  });
});

describe('a plan that is not paid', () => {
  it('lapses automatically after its days of grace: refused by both gateways at once, and back with the payment', async () => {
    const startsAt = monthAgo();
    const created = await test.accounts.create({ name: 'Test', plan: 'starter', credits: 0, startsAt });
    const customer = new Customer(created, test.house.gatewayUrls);
    expect((await customer.me()).status).toBe(200);
    expect(await ops('account', 'show', created.accountId)).toMatchObject({ payment: { state: 'overdue' } });
    // The grace period ends.
    await gatewayDatabase.query(
      `UPDATE gateway.account SET paid_until = paid_until - interval '7 days', billing_due_at = now()
       WHERE account_id = $1`,
      [created.accountId],
    );
    await until(
      'the lapse',
      () => test.operator.billing.read(customer.accountId as AccountId),
      read => read?.billing.lapsed !== undefined,
    );
    for (const _gateway of test.house.gatewayUrls) {
      expect(await customer.me()).toMatchObject({ status: 401, body: { code: 'plan_without_api_access' } });
    }
    const paid = await ops('account', 'pay', customer.accountId, '--reference', 'invoice 1');
    expect(paid).toMatchObject({ plan: 'starter', payment: { state: 'paid' } });
    await arrived(customer.accountId);
    for (const _gateway of test.house.gatewayUrls) {
      expect((await customer.me()).status).toBe(200);
    }
    const live = (await grants(customer.accountId)).filter(
      ({ expires_at }) => Number(expires_at) > Date.now(),
    );
    // Two cycles that start in the same second may arrive in either order.
    expect(live.map(({ amount }) => amount).toSorted((one, other) => one - other)).toEqual([100, 5_000]);
  });
});

describe('credits in addition to a plan', () => {
  it('are topped up for a year, or granted without an end', async () => {
    const customer = await open('custom');
    const at = new Date(Date.now() - dayMs);
    await ops('account', 'top-up', customer.accountId, '30', '--at', at.toISOString());
    await ops('account', 'grant', customer.accountId, '12');
    await arrived(customer.accountId);
    expect(await customer.credits()).toBe(42);
    expect(await grants(customer.accountId)).toEqual([
      { kind: 'top_up', amount: 30, expires_at: new Date(at.getTime() + limits.topUpDays * dayMs) },
      { kind: 'adjustment', amount: 12, expires_at: null },
    ]);
    expect(await ops('account', 'show', customer.accountId)).toMatchObject({ creditsAvailable: 42 });
  });
});

/** A cycle that started then ended one to four days ago, so its grace period is running. */
function monthAgo(): Date {
  return new Date(Date.now() - 32 * dayMs);
}
