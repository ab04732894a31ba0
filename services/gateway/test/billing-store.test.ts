import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { type AccountId, openBillingCycleJob } from '@mailproof/shared-types';
import pg from 'pg';
import { createKeySealer } from '../src/adapters/jose/key-sealer.ts';
import { createAccountStore, createKeyLookup } from '../src/adapters/postgres/account-store.ts';
import { createBillingStore } from '../src/adapters/postgres/billing-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { changePlan, lapse, pay, renew } from '../src/domain/billing/billing.ts';
import { renewDueAccounts } from '../src/domain/billing/renew-due-accounts.ts';
import { until } from './until.ts';

const sealer = createKeySealer([{ kid: 'k1', key: new Uint8Array(32).fill(1) }]);
const begin = new Date('2026-01-15T00:00:00Z');
const graceDays = 7;

let testDatabase: TestDatabase;
let replicas: ReturnType<typeof openReplica>[];

beforeAll(async () => {
  testDatabase = await createTestDatabase('gateway');
  replicas = [openReplica(), openReplica()];
});

afterAll(async () => {
  await Promise.all(replicas.map(({ database }) => database.close()));
  await testDatabase.drop();
});

/** The stores of one gateway replica. */
function openReplica() {
  const database = openDatabase({
    url: testDatabase.databaseUrl,
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  return {
    database,
    accounts: createAccountStore(database.prisma, sealer),
    lookUpKey: createKeyLookup(database.pool, () => undefined),
    billing: createBillingStore(database, sealer),
  };
}

function first() {
  const [replica] = replicas;
  if (!replica) {
    throw new Error('No replica is open.');
  }
  return replica;
}

function open(plan: 'free' | 'starter' | 'growth' | 'custom' = 'growth') {
  return first().accounts.create({ name: 'Test', plan, credits: 0, startsAt: begin });
}

function step(
  accountId: AccountId,
  now: Date,
  decide: Parameters<ReturnType<typeof openReplica>['billing']['change']>[1],
) {
  return first().billing.change(accountId, decide, { now, graceDays });
}

/** The cycles that the ledger is asked to open, in the order of writing. */
async function openings(
  accountId: AccountId,
): Promise<{ startsAt: string; endsAt: string; credits: number }[]> {
  const { rows } = await first().database.pool.query(
    "SELECT payload FROM outbox WHERE job_type = $1 AND payload->>'accountId' = $2 ORDER BY outbox_id",
    [openBillingCycleJob.name, accountId],
  );
  return rows.map(row => row.payload);
}

function renewals(now: Date) {
  const renewed: string[] = [];
  const failed: unknown[] = [];
  const options = {
    now: () => now,
    graceDays,
    onRenewed: (accountId: AccountId) => renewed.push(accountId),
    onFailed: (_accountId: AccountId, error: unknown) => failed.push(error),
  };
  return { renewed, failed, options };
}

describe('an account', () => {
  it('begins its plan with a cycle for the ledger to open, and with a key where the plan has API access', async () => {
    const paid = await open('growth');
    expect(paid.apiKey).toMatch(/^mp_live_/);
    expect(await openings(paid.accountId)).toMatchObject([
      { startsAt: '2026-01-15T00:00:00.000Z', endsAt: '2026-02-15T00:00:00.000Z', credits: 25_000 },
    ]);
    const free = await open('free');
    expect(free.apiKey).toBeUndefined();
    expect(await openings(free.accountId)).toMatchObject([{ credits: 100 }]);
  });

  it('gets its key automatically once a plan with API access starts, and keeps it from plan to plan', async () => {
    const { accountId } = await open('free');
    const now = new Date('2026-01-20T00:00:00Z');
    const change = await step(accountId, now, billing => changePlan(billing, 'starter', now));
    const apiKey = change?.madeKey?.apiKey;
    expect(apiKey).toMatch(/^mp_live_/);
    const again = await step(accountId, now, billing => changePlan(billing, 'scale', now));
    expect(again?.madeKey).toBeUndefined();
    expect(apiKey && (await first().lookUpKey(apiKey))).toMatchObject({
      kind: 'active',
      account: { plan: 'scale', requestsPerSecond: 50 },
    });
  });

  it('keeps its key through a lapse: disabled at once, and working again with the payment', async () => {
    const { accountId, apiKey } = await open('starter');
    const now = new Date('2026-01-20T00:00:00Z');
    if (!apiKey) {
      throw new Error('A paid plan comes with a key.');
    }
    for (const { lookUpKey } of replicas) {
      expect((await lookUpKey(apiKey)).kind).toBe('active');
    }
    await step(accountId, now, billing => lapse(billing, now));
    for (const { lookUpKey } of replicas) {
      expect((await lookUpKey(apiKey)).kind).toBe('planWithoutApiAccess');
    }
    const paid = await step(accountId, now, billing => pay(billing, now, 1, graceDays));
    expect(paid?.madeKey).toBeUndefined();
    for (const { lookUpKey } of replicas) {
      expect((await lookUpKey(apiKey)).kind).toBe('active');
    }
  });

  it('is left as it was, with nothing in the outbox, by a step that is refused', async () => {
    const { accountId } = await open('growth');
    const now = new Date('2026-01-20T00:00:00Z');
    await expect(step(accountId, now, billing => changePlan(billing, 'growth', now))).rejects.toThrow();
    expect(await openings(accountId)).toHaveLength(1);
  });

  it('of an earlier release, without a cycle, gets its first from the worker', async () => {
    const { pool } = first().database;
    const accountId = `acct_${'a'.repeat(32)}` as AccountId;
    await pool.query("INSERT INTO account (account_id, name, plan) VALUES ($1, 'Old', 'custom')", [
      accountId,
    ]);
    // The test's clock and the database's may differ slightly.
    const { options } = renewals(new Date(Date.now() + 60_000));
    await renewDueAccounts(first().billing, options);
    const read = await first().billing.read(accountId);
    expect(read?.billing.cycle).toBeDefined();
    expect(await openings(accountId)).toHaveLength(1);
  });

  it('has its payments recorded', async () => {
    const { accountId } = await open('starter');
    const now = new Date('2026-01-20T00:00:00Z');
    await first().billing.change(accountId, billing => pay(billing, now, 2, graceDays), {
      now,
      graceDays,
      paymentReference: 'invoice 7',
    });
    const { rows } = await first().database.pool.query(
      'SELECT plan, paid_until, reference FROM payment WHERE account_id = $1 ORDER BY paid_until',
      [accountId],
    );
    expect(rows).toEqual([
      { plan: 'starter', paid_until: new Date('2026-02-15T00:00:00Z'), reference: null },
      { plan: 'starter', paid_until: new Date('2026-04-15T00:00:00Z'), reference: 'invoice 7' },
    ]);
  });
});

describe('a change of plan', () => {
  it('is among the security events of the account, with the key that it created', async () => {
    const { accountId } = await open('free');
    const now = new Date('2026-01-20T00:00:00Z');
    const options = { now, graceDays, by: 'operator' } as const;
    await first().billing.change(accountId, billing => changePlan(billing, 'starter', now), options);
    await step(accountId, now, billing => lapse(billing, now));
    const { rows } = await first().database.pool.query(
      'SELECT kind, client_network, details FROM security_event WHERE account_id = $1 ORDER BY security_event_id',
      [accountId],
    );
    expect(rows).toEqual([
      {
        kind: 'plan_changed',
        client_network: 'operator',
        details: { from: 'free', plan: 'starter', lapsed: false },
      },
      {
        kind: 'api_key_generated',
        client_network: 'operator',
        details: { display_prefix: expect.stringMatching(/^mp_live_....$/) },
      },
      {
        kind: 'plan_changed',
        client_network: 'schedule',
        details: { from: 'starter', plan: 'free', lapsed: true },
      },
    ]);
  });
});

describe('renewing', () => {
  it('opens each cycle once, however many replicas renew at once and again', async () => {
    const created = await Promise.all(Array.from({ length: 25 }, () => open('free')));
    const ids = created.map(({ accountId }) => accountId);
    const now = new Date('2026-02-15T00:00:00Z');
    const { renewed, failed, options } = renewals(now);
    await Promise.all(
      [...replicas, ...replicas, ...replicas].map(({ billing }) => renewDueAccounts(billing, options)),
    );
    expect(failed).toEqual([]);
    expect(renewed.filter(id => ids.includes(id as AccountId)).sort()).toEqual([...ids].sort());
    await renewDueAccounts(first().billing, options);
    for (const id of ids) {
      const starts = (await openings(id)).map(({ startsAt }) => startsAt);
      expect(starts).toEqual(['2026-01-15T00:00:00.000Z', '2026-02-15T00:00:00.000Z']);
    }
  });

  it('grants no credits of cycles that were missed', async () => {
    const { accountId } = await open('free');
    const { options } = renewals(new Date('2026-05-20T00:00:00Z'));
    await renewDueAccounts(first().billing, options);
    expect((await openings(accountId)).map(({ startsAt }) => startsAt)).toEqual([
      '2026-01-15T00:00:00.000Z',
      '2026-05-15T00:00:00.000Z',
    ]);
  });

  it('keeps an unpaid plan for its days of grace, and lapses it once after them', async () => {
    const { accountId } = await open('growth');
    const inGrace = new Date('2026-02-20T00:00:00Z');
    const round = renewals(inGrace);
    await renewDueAccounts(first().billing, round.options);
    expect(round.renewed).not.toContain(accountId);
    expect(await first().billing.due(inGrace, 1_000)).not.toContain(accountId);
    const over = renewals(new Date('2026-02-22T00:00:00Z'));
    await renewDueAccounts(first().billing, over.options);
    expect(over.renewed).toContain(accountId);
    const read = await first().billing.read(accountId);
    expect(read?.billing).toMatchObject({ plan: 'free', lapsed: { plan: 'growth' } });
  });

  it('leaves nothing half done when it is killed between two statements, and is done by the next', async () => {
    const { accountId } = await open('free');
    const now = new Date('2026-02-15T00:00:00Z');
    const doomed = openReplica();
    const keeper = new pg.Client({ connectionString: testDatabase.ownerUrl });
    await keeper.connect();
    try {
      // By then, the account's row is updated; the transaction is waiting to write the opening of its cycle.
      await keeper.query('BEGIN; LOCK TABLE gateway.outbox IN EXCLUSIVE MODE');
      const { options, failed } = renewals(now);
      const round = renewDueAccounts({ ...doomed.billing, due: async () => [accountId] }, options);
      const killed = await until(
        'the write of the outbox row',
        () =>
          first().database.pool.query(
            `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO%outbox%'`,
          ),
        ({ rowCount }) => rowCount === 1,
      );
      expect(killed.rows).toHaveLength(1);
      await round;
      expect(failed).toHaveLength(1);
    } finally {
      await keeper.query('ROLLBACK');
      await keeper.end();
      await doomed.database.close();
    }
    expect((await first().billing.read(accountId))?.billing.cycle?.startsAt).toEqual(begin);
    expect(await openings(accountId)).toHaveLength(1);
    const { options, renewed } = renewals(now);
    await renewDueAccounts(first().billing, options);
    expect(renewed).toContain(accountId);
    expect(await openings(accountId)).toHaveLength(2);
  });

  it('is not held up by an account that fails', async () => {
    const [bad, good] = [await open('free'), await open('free')];
    const now = new Date('2026-02-15T00:00:00Z');
    const { renewed, failed, options } = renewals(now);
    const { billing } = first();
    await renewDueAccounts(
      {
        due: billing.due,
        changeDue: (accountId, _decide, change) =>
          billing.changeDue(
            accountId,
            before => {
              if (accountId === bad.accountId) {
                throw new Error('no such plan');
              }
              return renew(before, now, graceDays);
            },
            change,
          ),
      },
      options,
    );
    expect(renewed).toContain(good.accountId);
    expect(failed).toHaveLength(1);
  });
});
