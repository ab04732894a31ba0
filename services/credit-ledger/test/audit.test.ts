import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { ConfigError, openPostgres } from '@mailproof/service-kit';
import { newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import {
  createAuditor,
  createAuditRuns,
  type InvariantName,
  invariants,
} from '../src/adapters/postgres/audit/create-auditor.ts';
import { type OpenLedger, openLedger } from '../src/compose/open-ledger.ts';
import { auditLedger } from '../src/domain/audit/audit.ts';
import { auditWhenDue } from '../src/domain/audit/audit-when-due.ts';
import { createProgram } from '../src/ops/program.ts';
import { type LivedInAccount, liveInAccount } from './lived-in-account.ts';

let database: TestDatabase;
let stores: OpenLedger;
let pool: Pool;
/** Has permissions that the service lacks, so it can break the ledger's invariants. */
let owner: Pool;

function open(connectionString: string): Pool {
  return openPostgres({
    connectionString,
    schema: 'ledger',
    applicationName: 'audit-test',
    connectionsMax: 5,
    onIdleError: () => undefined,
  });
}

beforeAll(async () => {
  database = await createTestDatabase('credit-ledger');
  stores = openLedger({
    databaseUrl: database.databaseUrl,
    connectionsMax: 5,
    onIdleError: () => undefined,
  });
  ({ pool } = stores);
  owner = open(database.ownerUrl);
});

afterAll(async () => {
  await stores.close();
  await owner.end();
  await database.drop();
});

const auditor = () => createAuditor(pool, 30_000);

async function faultsOf(accountId: LivedInAccount['accountId']): Promise<string[]> {
  const { faults } = await auditLedger(auditor(), { depth: 'full', accountIds: [accountId] });
  return faults.map(({ invariant }) => invariant);
}

describe('an audit of a sound ledger', () => {
  it('finds nothing wrong with an account that has seen everything', async () => {
    const { accountId } = await liveInAccount(pool);
    const { rows } = await pool.query('SELECT available::int, held::int FROM account WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ available: 105, held: 4 }]);
    expect(await faultsOf(accountId)).toEqual([]);
  });

  it('examines every account, and reports no fault while credits move', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => liveInAccount(pool)));
    let isMoving = true;
    const move = async ({ accountId }: LivedInAccount) => {
      while (isMoving) {
        const holdId = newId('hold');
        await pool.query('SELECT create_hold_v1($1, $2, $3, 1, $4, NULL, 60000, NULL)', [
          holdId,
          accountId,
          newId('request'),
          'test-run',
        ]);
        await pool.query('SELECT settle_hold_v1($1, 1, NULL)', [holdId]);
      }
    };
    const moving = accounts.slice(0, 3).map(move);
    const reader = open(database.databaseUrl);
    try {
      for (const depth of ['full', 'recent', 'full'] as const) {
        const port = createAuditor(reader, 30_000);
        const report = await auditLedger(port, depth === 'full' ? { depth } : { depth, after: 0 });
        expect(report).toMatchObject({ faults: [], faultsTotal: 0, unexamined: [] });
        expect(report.accounts).toBeGreaterThanOrEqual(20);
      }
    } finally {
      isMoving = false;
      await Promise.all(moving);
      await reader.end();
    }
  });
});

type Breakage = readonly [
  invariant: InvariantName,
  how: string,
  sql: (account: LivedInAccount) => string,
  /** Whether a recent audit detects the fault. */
  isRecent: boolean,
];

const breakages: readonly Breakage[] = [
  [
    'balance_is_sum_of_entries',
    'credits come from nowhere, in balance, grants and last entry alike',
    ({ accountId, topUp }) => `
      UPDATE account SET available = available + 1 WHERE account_id = '${accountId}';
      UPDATE credit_grant SET amount = amount + 1 WHERE grant_id = '${topUp}';
      UPDATE entry SET available_after = available_after + 1 WHERE entry_id =
        (SELECT max(entry_id) FROM entry WHERE account_id = '${accountId}')`,
    false,
  ],
  [
    'balance_is_that_after_last_entry',
    'a balance is written without an entry',
    ({ accountId }) => `UPDATE account SET available = available + 1 WHERE account_id = '${accountId}'`,
    true,
  ],
  [
    'entry_follows_the_one_before',
    'an entry in the middle is lost',
    ({ released }) => `DELETE FROM entry WHERE hold_id = '${released}' AND kind = 'release'`,
    true,
  ],
  [
    'held_is_sum_of_pending_holds',
    'a pending hold is larger than what is held',
    ({ pending }) => `UPDATE hold SET amount = amount + 1 WHERE hold_id = '${pending}'`,
    true,
  ],
  [
    'balance_is_sum_of_grants',
    'a grant has more held than the account',
    ({ topUp }) => `UPDATE credit_grant SET held = held + 1 WHERE grant_id = '${topUp}'`,
    true,
  ],
  [
    'granted_is_available_held_spent_and_expired',
    'a settlement grows later',
    ({ settled }) => `UPDATE hold SET settled = settled + 1 WHERE hold_id = '${settled}'`,
    false,
  ],
  [
    'grant_agrees_with_its_holds',
    'what a grant spent is moved to another',
    ({ cycleGrant, topUp }) => `
      UPDATE credit_grant SET spent = spent - 1 WHERE grant_id = '${cycleGrant}';
      UPDATE credit_grant SET spent = spent + 1 WHERE grant_id = '${topUp}'`,
    false,
  ],
  [
    'grant_has_one_entry_of_its_amount',
    'a grant becomes larger than it was entered',
    ({ topUp }) => `UPDATE credit_grant SET amount = amount + 1 WHERE grant_id = '${topUp}'`,
    true,
  ],
  [
    'grant_expired_by_its_entries',
    'an expiry has no entry',
    ({ topUp }) => `UPDATE credit_grant SET expired = expired + 1 WHERE grant_id = '${topUp}'`,
    false,
  ],
  [
    'hold_is_settled_within_its_amount',
    'more is settled than was held',
    ({ settled }) => `UPDATE hold SET settled = amount + 1 WHERE hold_id = '${settled}'`,
    true,
  ],
  [
    'hold_takes_its_amount_from_grants',
    'a hold forgets a part of what it took',
    ({ pending }) => `UPDATE hold SET grant_amounts = ARRAY[1] WHERE hold_id = '${pending}'`,
    true,
  ],
  [
    'hold_is_made_once_and_resolved_once',
    'a hold is resolved twice',
    ({ settled }) => `
      INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after)
      SELECT account_id, 'release', hold_id, cause, 0, 0, available_after, held_after FROM entry
      WHERE hold_id = '${settled}' AND kind = 'settle'`,
    true,
  ],
  [
    'hold_is_made_once_and_resolved_once',
    'a hold has a state that no entry gave it',
    ({ released }) => `UPDATE hold SET state = 'expired' WHERE hold_id = '${released}'`,
    true,
  ],
  [
    'refunds_are_within_what_was_settled',
    'more is refunded than was spent',
    ({ settledRun }) => `UPDATE credit_grant SET amount = 8 WHERE run_id = '${settledRun}'`,
    true,
  ],
  [
    'refunds_are_within_what_was_settled',
    'a hold counts a refund that was never granted',
    ({ released }) => `UPDATE hold SET refunded = 1 WHERE hold_id = '${released}'`,
    true,
  ],
  [
    'cycle_grants_its_credits',
    'a cycle promises more than it granted',
    ({ accountId }) => `UPDATE billing_cycle SET credits = credits + 1 WHERE account_id = '${accountId}'`,
    true,
  ],
  [
    'allowance_counts_its_uses',
    'a use is not counted',
    ({ accountId }) => `UPDATE allowance SET used = 0 WHERE account_id = '${accountId}'`,
    true,
  ],
  [
    'allowance_counts_its_uses',
    'more is used than is allowed',
    ({ accountId }) => `UPDATE allowance SET allowed = 0 WHERE account_id = '${accountId}'`,
    true,
  ],
  [
    'grant_is_available_held_spent_and_expired',
    'what is left of a grant is written by hand',
    ({ topUp }) => `
      ALTER TABLE credit_grant ALTER COLUMN available DROP EXPRESSION;
      UPDATE credit_grant SET available = available + 1 WHERE grant_id = '${topUp}'`,
    true,
  ],
];

describe('an audit of a broken ledger', () => {
  let broken: TestDatabase;
  let breaker: Pool;
  let reader: Pool;

  beforeAll(async () => {
    broken = await createTestDatabase('credit-ledger');
    breaker = open(broken.ownerUrl);
    reader = open(broken.databaseUrl);
    // The tables' constraints prevent most of these; the audit must not rely on that.
    await breaker.query(`DO $$ DECLARE one record; BEGIN
      FOR one IN SELECT conname, CASE conrelid WHEN 0 THEN 'DOMAIN ' || contypid::regtype
          ELSE 'TABLE ' || conrelid::regclass END AS target
        FROM pg_constraint WHERE connamespace = 'ledger'::regnamespace AND contype = 'c'
      LOOP EXECUTE format('ALTER %s DROP CONSTRAINT %I', one.target, one.conname); END LOOP;
    END $$; DROP INDEX entry_hold_resolved`);
  });

  afterAll(async () => {
    await breaker.end();
    await reader.end();
    await broken.drop();
  });

  it('names a hold that no entry knows', async () => {
    const { accountId, released } = await liveInAccount(reader);
    await breaker.query(`DELETE FROM entry WHERE hold_id = '${released}'`);
    const { faults } = await auditLedger(createAuditor(reader, 30_000), { depth: 'full' });
    expect(faults).toContainEqual({ invariant: 'hold_is_known_to_an_entry', accountId, subject: released });
  });

  it('lists accounts that took too long as not examined', async () => {
    const accounts = [(await liveInAccount(reader)).accountId, (await liveInAccount(reader)).accountId];
    await breaker.query('ALTER TABLE credit_grant RENAME TO real_credit_grant');
    await breaker.query(
      'CREATE VIEW credit_grant AS SELECT real_credit_grant.* FROM real_credit_grant, pg_sleep(30)',
    );
    await breaker.query('GRANT SELECT ON credit_grant TO mailproof_ledger');
    try {
      const report = await auditLedger(createAuditor(reader, 1_000), {
        depth: 'full',
        accountIds: accounts,
      });
      expect(report).toMatchObject({ accounts: 0, unexamined: accounts });
    } finally {
      await breaker.query('DROP VIEW credit_grant; ALTER TABLE real_credit_grant RENAME TO credit_grant');
    }
  });

  it.each(breakages)('names %s when %s', async (invariant, _how, sql, isRecent) => {
    const port = createAuditor(reader, 30_000);
    const { newest } = await port.newestEntries();
    const account = await liveInAccount(reader);
    await breaker.query(sql(account));
    const { accountId } = account;
    const full = await auditLedger(port, { depth: 'full', accountIds: [accountId] });
    expect(full.faults).toContainEqual({ invariant, accountId, subject: expect.any(String) });
    expect(full.faults.every(fault => fault.accountId === accountId)).toBe(true);
    const recent = await auditLedger(port, { depth: 'recent', after: Math.max(1, newest) });
    const seen = recent.faults.filter(fault => fault.accountId === accountId);
    expect(seen.map(fault => fault.invariant).includes(invariant)).toBe(isRecent);
  });

  it('has a breakage for every invariant', () => {
    expect(new Set(breakages.map(([invariant]) => invariant))).toEqual(new Set(Object.keys(invariants)));
  });
});

describe('the schedule', () => {
  const schedule = { intervalMs: 60_000, fullIntervalMs: 600_000 };
  let at = new Date('2026-03-01T00:00:00Z');
  const ports = () => ({ port: auditor(), runs: createAuditRuns(pool), now: () => at });
  const later = (ms: number) => {
    at = new Date(at.getTime() + ms);
  };

  it('runs in one replica, and in the others only after the interval', async () => {
    const reports = await Promise.all(Array.from({ length: 4 }, () => auditWhenDue(ports(), schedule)));
    expect(reports.filter(Boolean)).toMatchObject([{ depth: 'full', faultsTotal: 0 }]);
    later(59_999);
    expect(await auditWhenDue(ports(), schedule)).toBeUndefined();
  });

  it('examines what has changed, and everything if the last full audit is old', async () => {
    later(60_000);
    expect(await auditWhenDue(ports(), schedule)).toMatchObject({ depth: 'recent' });
    later(600_000);
    expect(await auditWhenDue(ports(), schedule)).toMatchObject({ depth: 'full' });
  });

  it('reports a fault for as long as it is there', async () => {
    const { accountId } = await liveInAccount(pool);
    const change = `UPDATE account SET held = held + $1 WHERE account_id = '${accountId}'`;
    await owner.query(change, [1]);
    later(60_000);
    expect((await auditWhenDue(ports(), schedule))?.faultsTotal).toBeGreaterThan(0);
    later(600_000);
    expect((await auditWhenDue(ports(), schedule))?.depth).toBe('full');
    for (let run = 0; run < 3; run += 1) {
      later(60_000);
      const report = await auditWhenDue(ports(), schedule);
      expect(report?.faults).toContainEqual(expect.objectContaining({ accountId }));
    }
    expect((await ports().runs.past()).last?.faultsTotal).toBeGreaterThan(0);
    await owner.query(change, [-1]);
    later(60_000);
    expect(await auditWhenDue(ports(), schedule)).toMatchObject({ depth: 'full', faultsTotal: 0 });
  });

  it('gives up when the service stops, and lets the next one audit', async () => {
    later(60_000);
    await expect(auditWhenDue(ports(), schedule, AbortSignal.abort())).rejects.toThrow(/abort/i);
    expect(await auditWhenDue(ports(), schedule)).toMatchObject({ faultsTotal: 0 });
  });
});

describe('pnpm ops ledger audit', () => {
  async function run(...args: string[]): Promise<[exitCode: number, said: string]> {
    const said: string[] = [];
    const program = createProgram({ DATABASE_URL: database.databaseUrl }, text => void said.push(text));
    return [await program(['node', 'ops', 'ledger', 'audit', ...args]), said.join('\n')];
  }

  it('ends with 0 and a sentence where nothing is wrong', async () => {
    const [exitCode, said] = await run();
    expect([exitCode, said]).toEqual([0, expect.stringMatching(/^Accounts examined: \d+\. Faults: none\.$/)]);
  });

  it('ends with 1 and a table of the faults of the account that was asked for', async () => {
    const [sound, wrong] = [await liveInAccount(pool), await liveInAccount(pool)];
    const change = `UPDATE account SET held = held + $1 WHERE account_id = '${wrong.accountId}'`;
    await owner.query(change, [1]);
    expect((await run('--account', sound.accountId))[0]).toBe(0);
    const [exitCode, said] = await run('--account', wrong.accountId);
    expect(exitCode).toBe(1);
    expect(said).toMatch(new RegExp(`held_is_sum_of_pending_holds +${wrong.accountId} +${wrong.accountId}`));
    const [, json] = await run('--json');
    expect(JSON.parse(json)).toMatchObject({
      depth: 'full',
      faults: expect.arrayContaining([expect.objectContaining({ accountId: wrong.accountId })]),
    });
    await owner.query(change, [-1]);
  });

  it('names a database that is missing', async () => {
    await expect(createProgram({})(['node', 'ops', 'ledger', 'audit'])).rejects.toThrow(ConfigError);
  });
});
