import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '@mailproof/shared-types';
import type { Person } from './house.ts';
import type { StepPoint } from './step-proxy.ts';
import { openStripeHouse, type StripeHouse } from './stripe-house.ts';
import { until } from './until.ts';

/*
 * Kills the gateway while it orders, receives and reconciles payments, and the ledger while it grants their credits,
 * and restarts them. After that, each order has one page and each invoice one payment, and the credits arrive once.
 */

let house: StripeHouse;

beforeAll(async () => {
  house = await openStripeHouse(false);
}, 180_000);

afterAll(() => house?.stop(), 60_000);

const free = plans.free.creditsPerCycle;
const growth = plans.growth.creditsPerCycle;
const timeoutMs = 120_000;

function service(name: 'gateway' | 'credit-ledger') {
  const found = house.test.house.services[name];
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

const gateway = () => service('gateway');

/** Kills the gateway when a call to Stripe reaches the point, and restarts it. */
async function killAt<Answer>(point: StepPoint, work: () => Promise<Answer>): Promise<void> {
  const reached = house.proxy.stopNext(point);
  const working = work().catch(() => undefined);
  const call = await reached;
  await gateway().kill('SIGKILL');
  call.release();
  await working;
  await gateway().restart();
}

/**
 * Kills the gateway in the middle of the transaction that records a payment, when its account is changed and the
 * payment is not written yet.
 */
async function killInTransaction<Answer>(work: () => Promise<Answer>): Promise<void> {
  const client = await house.database.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE payment IN EXCLUSIVE MODE');
    const working = work().catch(() => undefined);
    await until(
      'the write of the payment',
      () => house.database.query(`SELECT FROM pg_locks WHERE relation = 'payment'::regclass AND NOT granted`),
      ({ rowCount }) => (rowCount ?? 0) > 0,
    );
    await gateway().kill('SIGKILL');
    await working;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await gateway().restart();
}

async function expectOnePayment(owner: Person, invoiceId: string): Promise<void> {
  expect(await house.payments(owner)).toMatchObject([{ plan: 'growth', reference: `stripe:${invoiceId}` }]);
  await house.untilCredits(owner, free + growth);
  const { rows } = await house.database.query(
    `SELECT count(*)::int AS opened FROM outbox WHERE job_type = 'gateway.open-billing-cycle'
     AND payload->>'accountId' = $1 AND (payload->>'credits')::int = $2`,
    [owner.accountId, growth],
  );
  expect(rows).toEqual([{ opened: 1 }]);
}

describe('a gateway that is killed while an owner orders', () => {
  it.each([
    ['before Stripe has the customer', { path: /customers$/, phase: 'request' }],
    ['after Stripe has the customer', { path: /customers$/, phase: 'answer' }],
    ['before Stripe has the page', { path: /sessions$/, phase: 'request' }],
    ['after Stripe has the page', { path: /sessions$/, phase: 'answer' }],
  ] as const)(
    'leaves one customer and one page: %s',
    async (_moment, point) => {
      const owner = await house.owner();
      const [customers, sessions] = [house.peer.customers.size, house.peer.sessions.size];
      await killAt(point, () => house.order(owner, 'growth'));
      const url = await house.order(owner, 'growth');
      expect(house.peer.customers.size).toBe(customers + 1);
      expect(house.peer.sessions.size).toBe(sessions + 1);
      const invoice = house.peer.pay(url);
      expect(await house.deliver(invoice)).toBe(200);
      await expectOnePayment(owner, invoice.id);
    },
    timeoutMs,
  );
});

describe('a gateway that is killed while it receives a payment', () => {
  const moments: [string, (work: () => Promise<number>) => Promise<void>][] = [
    ['before it has read the invoice', work => killAt({ path: /invoices\/in_/, phase: 'request' }, work)],
    ['after it has read the invoice', work => killAt({ path: /invoices\/in_/, phase: 'answer' }, work)],
    ['in the middle of its transaction', killInTransaction],
  ];

  it.each(moments)(
    'records it when Stripe repeats the event, once: %s',
    async (_moment, kill) => {
      const owner = await house.owner();
      const invoice = house.peer.pay(await house.order(owner, 'growth'));
      await kill(() => house.deliver(invoice));
      expect(await house.payments(owner)).toEqual([]);
      expect([await house.deliver(invoice), await house.deliver(invoice)]).toEqual([200, 200]);
      await expectOnePayment(owner, invoice.id);
    },
    timeoutMs,
  );

  it(
    'has recorded it if the answer alone is lost',
    async () => {
      const owner = await house.owner();
      const invoice = house.peer.pay(await house.order(owner, 'growth'));
      expect(await house.deliver(invoice)).toBe(200);
      await gateway().kill('SIGKILL');
      await gateway().restart();
      expect(await house.deliver(invoice)).toBe(200);
      await expectOnePayment(owner, invoice.id);
    },
    timeoutMs,
  );
});

describe('a ledger that is killed while it grants the credits of a payment', () => {
  it.each([
    ['before it has the request', 'request'],
    ['after it has granted them', 'answer'],
  ] as const)(
    'grants them once after its restart: %s',
    async (_moment, phase) => {
      const owner = await house.owner();
      const invoice = house.peer.pay(await house.order(owner, 'growth'));
      const reached = house.ledgerProxy.stopNext({ path: /\/billing-cycles$/, phase });
      expect(await house.deliver(invoice)).toBe(200);
      const call = await reached;
      await service('credit-ledger').kill('SIGKILL');
      call.lose();
      await service('credit-ledger').restart();
      await expectOnePayment(owner, invoice.id);
      await until(
        'the end of the grant',
        () =>
          house.database.query(
            `SELECT FROM outbox WHERE job_type = 'gateway.open-billing-cycle'
             AND payload->>'accountId' = $1 AND done_at IS NULL`,
            [owner.accountId],
          ),
        ({ rowCount }) => rowCount === 0,
      );
      expect(await house.credits(owner)).toBe(free + growth);
    },
    timeoutMs,
  );
});

describe('a gateway that is killed while it reconciles', () => {
  /** Makes the reconciliation of the next night due now. */
  async function startNight(): Promise<void> {
    await until(
      'a queued reconciliation',
      () =>
        house.database.query(
          `UPDATE outbox SET due_at = now() WHERE outbox_id = (
             SELECT max(outbox_id) FROM outbox WHERE job_type = 'gateway.reconcile-payments' AND done_at IS NULL)`,
        ),
      ({ rowCount }) => rowCount === 1,
    );
  }

  const moments: [string, (work: () => Promise<void>) => Promise<void>][] = [
    ['before it has read a page', work => killAt({ path: /invoices\?/, phase: 'request' }, work)],
    [
      'after it has read a page',
      work => killAt({ path: /invoices\?.*starting_after/, phase: 'answer' }, work),
    ],
    ['in the middle of a transaction', killInTransaction],
  ];

  it.each(moments)(
    'records each lost payment once after its restart: %s',
    async (_moment, kill) => {
      const paid: { owner: Person; invoiceId: string }[] = [];
      for (let count = 0; count < 3; count += 1) {
        const owner = await house.owner();
        paid.push({ owner, invoiceId: house.peer.pay(await house.order(owner, 'growth')).id });
      }
      await kill(startNight);
      for (const { owner, invoiceId } of paid) {
        await until(
          'its payment',
          () => house.payments(owner),
          found => found.length > 0,
        );
        await expectOnePayment(owner, invoiceId);
      }
      await until(
        'the end of the round',
        () =>
          house.database.query(
            `SELECT FROM outbox WHERE job_type = 'gateway.reconcile-payments'
             AND done_at IS NULL AND failed_at IS NULL AND due_at <= now()`,
          ),
        ({ rowCount }) => rowCount === 0,
      );
      // The process queues the next night when it starts, or within the hour.
      await gateway().restart();
    },
    timeoutMs,
  );
});
