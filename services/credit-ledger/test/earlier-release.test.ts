import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { type AccountId, newId } from '@mailproof/shared-types';
import { type OpenLedger, openLedger } from '../src/compose/open-ledger.ts';
import { faultsOfLedger } from './ledger-faults.ts';

let database: TestDatabase;
let stores: OpenLedger;

beforeAll(async () => {
  database = await createTestDatabase('credit-ledger');
  stores = openLedger({
    databaseUrl: database.databaseUrl,
    connectionsMax: 16,
    onIdleError: () => undefined,
  });
});

afterAll(async () => {
  await stores.close();
  await database.drop();
});

/** The statements of the previous release, which knows no grants, exactly as it sent them. */
const earlier = {
  grant: `
    WITH credited AS (
      INSERT INTO account (account_id, available) VALUES ($2, $3::bigint)
      ON CONFLICT (account_id) DO UPDATE SET available = account.available + EXCLUDED.available
      RETURNING available, held
    ), granted AS (
      INSERT INTO credit_grant (grant_id, account_id, amount, cause) SELECT $1, $2, $3::bigint, 'test-grant' FROM credited
      RETURNING grant_id
    )
    INSERT INTO entry (account_id, kind, grant_id, cause, available_change, held_change, available_after, held_after)
    SELECT $2, 'grant', grant_id, 'test-grant', $3::bigint, 0, available, held FROM credited, granted`,
  hold: `
    WITH debited AS (
      UPDATE account SET available = available - $4::bigint, held = held + $4::bigint
      WHERE account_id = $2 AND available >= $4::bigint AND NOT EXISTS (SELECT FROM hold WHERE run_id = $3)
      RETURNING available, held
    ), made AS (
      INSERT INTO hold (hold_id, account_id, run_id, amount, cause, expires_at)
      SELECT $1, $2, $3, $4::bigint, 'test-run', now() + interval '1 hour' FROM debited RETURNING *
    )
    INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after)
    SELECT account_id, 'hold', hold_id, cause, -amount, amount, available, held FROM made, debited`,
  settle: `
    WITH resolved AS (
      UPDATE hold SET state = 'settled', settled = $2::bigint, resolved_at = now()
      WHERE hold_id = $1 AND state = 'pending' AND expires_at > now() AND amount >= $2::bigint RETURNING *
    ), returned AS (
      UPDATE account SET held = account.held - resolved.amount,
        available = account.available + resolved.amount - resolved.settled
      FROM resolved WHERE account.account_id = resolved.account_id RETURNING account.available, account.held
    )
    INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after)
    SELECT account_id, 'settle', hold_id, cause, amount - settled, -amount, returned.available, returned.held
    FROM resolved, returned`,
};

describe('the release before, on the schema of this one', () => {
  it('keeps every sum exact, also next to this release and on its holds', async () => {
    const accountId: AccountId = newId('account');
    for (let grant = 0; grant < 5; grant += 1) {
      await stores.pool.query(earlier.grant, [newId('creditGrant'), accountId, 30]);
    }
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const holdId = newId('hold');
        const runId = newId('request');
        const request = { holdId, accountId, runId, amount: 3, cause: 'test-run', expiresInMs: 60_000 };
        if (index % 2 === 0) {
          await stores.pool.query(earlier.hold, [holdId, accountId, runId, 3]);
        } else {
          await stores.ledger.hold(request);
        }
        if (index % 4 < 2) {
          await stores.pool.query(earlier.settle, [holdId, 2]);
        } else {
          await stores.ledger.settle(holdId, 1);
        }
      }),
    );
    expect(await faultsOfLedger(stores.pool)).toEqual([]);
    expect(await stores.ledger.balanceOf(accountId)).toMatchObject({ available: 90, held: 0 });
  });
});
