import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { type AccountId, newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { type OpenLedger, openLedger } from '../src/compose/open-ledger.ts';
import type { HoldRequest, LedgerStore } from '../src/domain/ledger.ts';
import { sweepExpiredCredits, sweepExpiredHolds } from '../src/workers/sweep.ts';
import { faultsOfLedger } from './ledger-faults.ts';

let database: TestDatabase;
let pool: Pool;
let stores: OpenLedger;
let store: LedgerStore;
let accountId: AccountId;
/** The clock, which tests control. */
let now = new Date();

beforeAll(async () => {
  database = await createTestDatabase('credit-ledger');
  stores = openLedger({
    databaseUrl: database.databaseUrl,
    connectionsMax: 20,
    onIdleError: () => undefined,
    now: () => now,
  });
  ({ pool, ledger: store } = stores);
});

afterAll(async () => {
  expect(await faultsOfLedger(pool)).toEqual([]);
  await stores.close();
  await database.drop();
});

beforeEach(() => {
  accountId = newId('account');
});

function grant(amount: number, grantId = newId('creditGrant')) {
  return store.grant({
    grantId,
    accountId,
    kind: 'adjustment',
    amount,
    expiresAt: null,
    cause: 'test-grant',
  });
}

function holdRequest(amount: number, change: Partial<HoldRequest> = {}): HoldRequest {
  return {
    holdId: newId('hold'),
    accountId,
    runId: newId('request'),
    amount,
    cause: 'test-run',
    expiresInMs: 60_000,
    ...change,
  };
}

async function held(amount: number, change: Partial<HoldRequest> = {}) {
  const outcome = await store.hold(holdRequest(amount, change));
  if (outcome.kind !== 'held') {
    throw new Error(`expected a hold, got ${outcome.kind}`);
  }
  return outcome.hold;
}

async function balance() {
  const { available, held } = await store.balanceOf(accountId);
  return { available, held };
}

describe('grants', () => {
  it('give an account that was never seen no credits', async () => {
    expect(await balance()).toEqual({ available: 0, held: 0 });
  });

  it('add up', async () => {
    await grant(10);
    expect(await grant(5)).toEqual({ kind: 'granted', balance: { accountId, available: 15, held: 0 } });
  });

  it('count once by their id', async () => {
    const grantId = newId('creditGrant');
    await Promise.all(Array.from({ length: 8 }, () => grant(10, grantId)));
    expect(await balance()).toEqual({ available: 10, held: 0 });
  });

  it('are refused when their id comes back with another amount', async () => {
    const grantId = newId('creditGrant');
    await grant(10, grantId);
    expect(await grant(11, grantId)).toEqual({ kind: 'idReused' });
    expect(await balance()).toEqual({ available: 10, held: 0 });
  });
});

describe('holds', () => {
  it('move credits from available to held', async () => {
    await grant(10);
    expect(await held(4)).toMatchObject({ state: 'pending', amount: 4, settled: 0, available: 6 });
    expect(await balance()).toEqual({ available: 6, held: 4 });
  });

  it('are refused beyond what is available, and move nothing', async () => {
    await grant(3);
    expect(await store.hold(holdRequest(4))).toEqual({ kind: 'creditsExhausted', available: 3 });
    expect(await balance()).toEqual({ available: 3, held: 0 });
  });

  it('are never granted beyond the balance, however many ask at once', async () => {
    await grant(30);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => store.hold(holdRequest(1))));
    expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(30);
    expect(await balance()).toEqual({ available: 0, held: 30 });
  });

  it('are made once a run, however many times it asks at once', async () => {
    await grant(10);
    const runId = newId('request');
    const holds = await Promise.all(Array.from({ length: 10 }, () => held(2, { runId })));
    expect(new Set(holds.map(({ holdId }) => holdId)).size).toBe(1);
    expect(await balance()).toEqual({ available: 8, held: 2 });
  });

  it('are refused when the run comes back with another amount', async () => {
    await grant(10);
    const { runId } = await held(2);
    expect(await store.hold(holdRequest(3, { runId }))).toEqual({ kind: 'idReused' });
  });
});

describe('settlements', () => {
  it('spend what was delivered and return the rest', async () => {
    await grant(10);
    const { holdId } = await held(5);
    expect(await store.settle(holdId, 2)).toMatchObject({
      kind: 'resolved',
      hold: { settled: 2, state: 'settled', available: 8 },
    });
    expect(await balance()).toEqual({ available: 8, held: 0 });
  });

  it('count once, however many times they are asked for at once', async () => {
    await grant(10);
    const { holdId } = await held(5);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.settle(holdId, 5)));
    expect(outcomes.every(({ kind }) => kind === 'resolved')).toBe(true);
    expect(await balance()).toEqual({ available: 5, held: 0 });
  });

  it('are refused beyond the amount of the hold', async () => {
    await grant(10);
    const { holdId } = await held(2);
    expect(await store.settle(holdId, 3)).toEqual({ kind: 'idReused' });
    expect(await balance()).toEqual({ available: 8, held: 2 });
  });

  it('are refused with another number than before', async () => {
    await grant(10);
    const { holdId } = await held(2);
    await store.settle(holdId, 2);
    expect(await store.settle(holdId, 1)).toEqual({ kind: 'idReused' });
  });

  it('cannot charge a released hold', async () => {
    await grant(10);
    const { holdId } = await held(2);
    await store.release(holdId);
    expect(await store.settle(holdId, 2)).toEqual({ kind: 'notPending', state: 'released' });
    expect(await balance()).toEqual({ available: 10, held: 0 });
  });

  it('do not know a hold that was never made', async () => {
    expect(await store.settle(newId('hold'), 1)).toEqual({ kind: 'notFound' });
  });
});

describe('releases', () => {
  it('return every credit, once', async () => {
    await grant(10);
    const { holdId } = await held(4);
    await Promise.all([store.release(holdId), store.release(holdId)]);
    expect(await balance()).toEqual({ available: 10, held: 0 });
  });

  it('cannot undo a settlement', async () => {
    await grant(10);
    const { holdId } = await held(4);
    await store.settle(holdId, 4);
    expect(await store.release(holdId)).toEqual({ kind: 'notPending', state: 'settled' });
  });
});

describe('expiry', () => {
  it("is reported as the remaining time by the ledger's clock, regardless of the client's clock", async () => {
    await grant(10);
    const runId = newId('request');
    expect(await held(4, { runId, expiresInMs: 60_000 })).toMatchObject({ expiresInMs: 60_000 });
    const before = now;
    now = new Date(now.getTime() + 45_000);
    expect(await held(4, { runId, expiresInMs: 60_000 })).toMatchObject({ expiresInMs: 15_000 });
    now = before;
  });

  it('can no longer be charged, before the sweep as well as after it', async () => {
    await grant(10);
    const { holdId } = await held(4, { expiresInMs: 0 });
    expect(await store.settle(holdId, 4)).toEqual({ kind: 'notPending', state: 'expired' });
    await sweepExpiredHolds(store, () => undefined);
    expect(await store.settle(holdId, 4)).toEqual({ kind: 'notPending', state: 'expired' });
    expect(await balance()).toEqual({ available: 10, held: 0 });
  });

  it('is found once by many sweeps at once, and leaves live holds alone', async () => {
    await grant(100);
    const live = await held(1);
    await Promise.all(Array.from({ length: 20 }, () => held(2, { expiresInMs: 0 })));
    const expired: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, () => sweepExpiredHolds(store, ({ holdId }) => void expired.push(holdId))),
    );
    expect(new Set(expired).size).toBe(20);
    expect(expired).toHaveLength(20);
    expect(await balance()).toEqual({ available: 99, held: 1 });
    expect(await store.settle(live.holdId, 1)).toMatchObject({ kind: 'resolved' });
  });
});

describe('credits that expire', () => {
  const hourMs = 3_600_000;
  function expiring(amount: number, inMs: number) {
    const expiresAt = new Date(now.getTime() + inMs);
    const grantId = newId('creditGrant');
    return store.grant({ grantId, accountId, kind: 'top_up', amount, expiresAt, cause: 'test-grant' });
  }

  it('are spent before those that expire later or never', async () => {
    await grant(5);
    await expiring(5, 2 * hourMs);
    await expiring(5, hourMs);
    const { holdId } = await held(7);
    await store.settle(holdId, 6);
    const left = await stores.statements.grantsOf(accountId);
    expect(left.map(({ available, expiresAt }) => [available, expiresAt === null])).toEqual([
      [4, false],
      [5, true],
    ]);
  });

  it('cannot be held, and are not shown, though no sweep has been by', async () => {
    await grant(2);
    await expiring(5, hourMs);
    now = new Date(now.getTime() + hourMs);
    expect(await balance()).toEqual({ available: 2, held: 0 });
    expect(await store.hold(holdRequest(3))).toEqual({ kind: 'creditsExhausted', available: 2 });
    expect(await held(2)).toMatchObject({ available: 0 });
  });

  it('do not expire while they are held, and expire at once when they come back', async () => {
    await expiring(5, hourMs);
    const { holdId } = await held(4, { expiresInMs: 3 * hourMs });
    now = new Date(now.getTime() + 2 * hourMs);
    expect(await balance()).toEqual({ available: 0, held: 4 });
    expect(await store.settle(holdId, 1)).toMatchObject({ kind: 'resolved', hold: { available: 0 } });
    const { rows } = await stores.statements.entriesOf({
      ...{ accountId, from: undefined, until: undefined, below: undefined, limit: 2 },
    });
    expect(rows.map(({ kind, availableChange, cause }) => [kind, availableChange, cause])).toEqual([
      ['expire_credits', -4, 'expire-credits'],
      ['settle', 3, 'test-run'],
    ]);
  });

  it('are swept once by many sweeps at once', async () => {
    await expiring(5, hourMs);
    now = new Date(now.getTime() + hourMs);
    const swept: number[] = [];
    await Promise.all(
      Array.from({ length: 4 }, () =>
        sweepExpiredCredits(store, expired => {
          if (expired.accountId === accountId) swept.push(expired.credits);
        }),
      ),
    );
    expect(swept).toEqual([5]);
  });
});

describe('the statement', () => {
  it('has pages that neither skip nor repeat an entry while entries are being written', async () => {
    await grant(1_000);
    let writing = true;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) {
        const { holdId } = await held(1);
        await store.release(holdId);
      }
    });
    for (let read = 0; read < 10; read += 1) {
      const ids: number[] = [];
      for (let below: number | undefined; ids.length < 60; ) {
        const page = await stores.statements.entriesOf({
          ...{ accountId, from: undefined, until: undefined, below, limit: 5 },
        });
        ids.push(...page.rows.map(({ entryId }) => entryId));
        if (page.endedWith === undefined) break;
        below = page.endedWith;
      }
      const oldest = ids.at(-1) ?? 0;
      const { rows } = await pool.query<{ entry_id: string }>(
        'SELECT entry_id FROM entry WHERE account_id = $1 AND entry_id BETWEEN $2 AND $3 ORDER BY entry_id DESC',
        [accountId, oldest, ids[0]],
      );
      expect(ids).toEqual(rows.map(({ entry_id }) => Number(entry_id)));
    }
    writing = false;
    await Promise.all(writers);
  });
});

describe('the database', () => {
  it('refuses to rewrite or erase an entry, even to the service itself', async () => {
    await expect(pool.query("UPDATE entry SET cause = 'other'")).rejects.toThrow('permission denied');
    await expect(pool.query('DELETE FROM entry')).rejects.toThrow('permission denied');
    await expect(pool.query('UPDATE credit_grant SET amount = amount + 1')).rejects.toThrow(
      'permission denied',
    );
    await expect(pool.query('DELETE FROM credit_grant')).rejects.toThrow('permission denied');
  });
});
