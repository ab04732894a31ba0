import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { openPostgres, takeEventsHandler } from '@mailproof/service-kit';
import {
  type AccountId,
  type EventId,
  newId,
  type RecordedEvent,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import request from 'supertest';
import * as overHttp from './ledger-over-http.ts';
import { composeLedger, tokenOf } from './ledger-over-http.ts';

let database: TestDatabase;
let pool: Pool;
let ledger: Awaited<ReturnType<typeof composeLedger>>;

beforeAll(async () => {
  // Sets the keys that tokens are signed with.
  await overHttp.startLedger();
  database = await createTestDatabase('credit-ledger');
  pool = openPostgres({
    connectionString: database.databaseUrl,
    schema: 'ledger',
    applicationName: 'low-credits-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  ledger = await composeLedger(database.databaseUrl);
});

afterAll(async () => {
  await ledger.stop();
  await overHttp.stopLedger();
  await pool.end();
  await database.drop();
});

const call = async (name: string, ...values: unknown[]) => {
  const parameters = values.map((_, at) => `$${at + 1}`).join(', ');
  await pool.query(`SELECT ${name}(${parameters})`, values);
};

/** An account with credits, and a threshold if one is given. */
async function accountOf(credits: number, threshold?: number): Promise<AccountId> {
  const accountId = newId('account');
  await grant(accountId, credits);
  if (threshold !== undefined) {
    expect((await putThreshold(accountId, threshold)).status).toBe(200);
  }
  return accountId;
}

const grant = (accountId: AccountId, amount: number, expiresAt: Date | null = null) =>
  call('grant_credits_v1', newId('creditGrant'), accountId, 'top_up', amount, expiresAt, 'test', null, null);

async function hold(accountId: AccountId, amount: number): Promise<string> {
  const holdId = newId('hold');
  await call('create_hold_v1', holdId, accountId, newId('request'), amount, 'test-run', null, 60_000, null);
  return holdId;
}

const settle = (holdId: string, delivered: number) => call('settle_hold_v1', holdId, delivered, null);

const putThreshold = async (accountId: AccountId, threshold: number | null) =>
  request(ledger.app)
    .put(`/internal/v1/accounts/${accountId}/users/${newId('user') as UserId}/credit-threshold`)
    .set('authorization', await tokenOf('gateway'))
    .send({ threshold });

async function take(
  stored: readonly EventId[] = [],
  caller: 'webhook-dispatcher' | 'gateway' = 'webhook-dispatcher',
  types: readonly string[] = ['credits.low'],
) {
  const { status, body } = await request(ledger.app)
    .post('/internal/v1/events')
    .set('authorization', await tokenOf(caller))
    .send({ stored, types });
  return { status, events: (body.events ?? []) as RecordedEvent[] };
}

async function recorded(accountId: AccountId): Promise<unknown[]> {
  const { rows } = await pool.query<{ data: unknown }>(
    'SELECT data FROM event WHERE account_id = $1 ORDER BY event_no',
    [accountId],
  );
  return rows.map(({ data }) => data);
}

const low = (accountId: AccountId, available: number, held: number, threshold: number) => ({
  account_id: accountId,
  available,
  held,
  threshold,
});

describe('an account with a threshold', () => {
  it('is told once when a charge takes it below, and again only after it was above', async () => {
    const accountId = await accountOf(10, 8);
    await settle(await hold(accountId, 2), 2);
    expect(await recorded(accountId)).toEqual([]);
    await settle(await hold(accountId, 3), 1);
    expect(await recorded(accountId)).toEqual([low(accountId, 7, 0, 8)]);
    await settle(await hold(accountId, 3), 3);
    expect(await recorded(accountId)).toHaveLength(1);
    await grant(accountId, 10);
    await settle(await hold(accountId, 8), 8);
    expect(await recorded(accountId)).toEqual([low(accountId, 7, 0, 8), low(accountId, 6, 0, 8)]);
  });

  it('is not told of a hold that is released, nor below a threshold that is new or gone', async () => {
    const accountId = await accountOf(10, 8);
    await call('release_hold_v1', await hold(accountId, 9), null);
    await putThreshold(accountId, 20);
    await settle(await hold(accountId, 1), 1);
    await putThreshold(accountId, null);
    await settle(await hold(accountId, 9), 9);
    expect(await recorded(accountId)).toEqual([]);
  });

  it('is told with what work in progress holds', async () => {
    const accountId = await accountOf(10, 10);
    await hold(accountId, 4);
    await settle(await hold(accountId, 1), 1);
    expect(await recorded(accountId)).toEqual([low(accountId, 5, 4, 10)]);
  });

  it('is told when credits expire', async () => {
    const accountId = await accountOf(3, 5);
    await grant(accountId, 4, new Date(Date.now() + 60_000));
    await call('expire_credits_v1', accountId, new Date(Date.now() + 120_000));
    expect(await recorded(accountId)).toEqual([low(accountId, 3, 0, 5)]);
  });

  it('is told nothing when it is closed, and nothing of it is left to tell', async () => {
    const accountId = await accountOf(10, 8);
    await settle(await hold(accountId, 5), 5);
    const closed = await request(ledger.app)
      .post('/internal/v1/closed-accounts')
      .set('authorization', await tokenOf('gateway'))
      .send({ accountId });
    expect(closed.body).toEqual({ accountId, expired: 5 });
    expect(await recorded(accountId)).toEqual([]);
    await grant(accountId, 20);
    await settle(await hold(accountId, 20), 20);
    expect(await recorded(accountId)).toEqual([]);
  });

  it('is told nothing of a charge that is rolled back', async () => {
    const accountId = await accountOf(10, 8);
    const holdId = await hold(accountId, 5);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT settle_hold_v1($1, 5, NULL)', [holdId]);
    await client.query('ROLLBACK');
    client.release();
    expect(await recorded(accountId)).toEqual([]);
  });
});

describe('take-credits-events', () => {
  it('answers the oldest events until they are confirmed, and then the next ones', async () => {
    await pool.query('DELETE FROM event');
    const [one, other] = [await accountOf(2, 2), await accountOf(2, 2)];
    await settle(await hold(one, 1), 1);
    await settle(await hold(other, 1), 1);
    const first = await take();
    expect(first.status).toBe(200);
    expect(first.events).toMatchObject([
      {
        type: 'credits.low',
        account_id: one,
        data: low(one, 1, 0, 2),
        event_id: expect.stringMatching(/^evt_/),
      },
      { account_id: other },
    ]);
    expect((await take()).events).toEqual(first.events);
    const [{ event_id: stored } = { event_id: '' as EventId }] = first.events;
    expect((await take([stored])).events).toEqual(first.events.slice(1));
    expect((await take([stored])).events).toEqual(first.events.slice(1));
  });

  it('waits for an event, and answers as soon as there is one', async () => {
    await pool.query('DELETE FROM event');
    const accountId = await accountOf(2, 2);
    const waiting = take();
    await settle(await hold(accountId, 1), 1);
    expect((await waiting).events).toMatchObject([{ account_id: accountId }]);
  });

  it('answers with none when its wait ends', async () => {
    const never = new AbortController().signal;
    const answer = takeEventsHandler(pool, never, 600);
    const nothing = { body: { stored: [], types: ['credits.of_no_account'] } };
    expect(await answer(nothing, { signal: never })).toEqual({ events: [] });
  });

  it('keeps events of a type that the caller does not know for a newer caller', async () => {
    await pool.query('DELETE FROM event');
    const accountId = await accountOf(2);
    await pool.query(
      "INSERT INTO event (event_id, account_id, type, data) VALUES ($1, $2, 'credits.newer', '{}')",
      [newId('event'), accountId],
    );
    const other = await accountOf(2, 2);
    await settle(await hold(other, 1), 1);
    expect((await take()).events).toMatchObject([{ account_id: other }]);
    const newer = await take([], 'webhook-dispatcher', ['credits.low', 'credits.newer']);
    expect(newer.events).toMatchObject([{ account_id: accountId }, { account_id: other }]);
  });

  it('is refused to every other service, and without a token', async () => {
    expect((await take([], 'gateway')).status).toBe(403);
    expect(
      (await request(ledger.app).post('/internal/v1/events').send({ stored: [], types: [] })).status,
    ).toBe(401);
  });
});
