import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { openPostgres } from '@mailproof/service-kit';
import { type AccountId, forgetVerdictsJob, newId, type OutcomeKind } from '@mailproof/shared-types';
import pg, { type Pool } from 'pg';
import { createAddressHasher } from '../src/adapters/keyed-hash.ts';
import { createEvidenceSnapshots } from '../src/adapters/postgres/evidence-snapshots.ts';
import { createOutcomeStore } from '../src/adapters/postgres/outcome-store.ts';
import type { Outcome, OutcomeStore } from '../src/domain/outcomes/outcome-store.ts';
import type { PatternClass } from '../src/domain/outcomes/pattern-class.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';

const dayMs = 86_400_000;
const [ada, grace] = [newId('account'), newId('account')];

let database: TestDatabase;
let pool: Pool;
let store: OutcomeStore;

beforeAll(async () => {
  database = await createTestDatabase('validation-engine');
  pool = openPostgres({
    connectionString: database.databaseUrl,
    schema: 'validation',
    applicationName: 'outcome-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  store = createOutcomeStore(pool, createAddressHasher(new TextEncoder().encode('a key of the test')));
});

beforeEach(() => pool.query('DELETE FROM outcome; DELETE FROM outbox'));

afterAll(async () => {
  await pool.end();
  await database.drop();
});

function outcome(
  address: string,
  kind: OutcomeKind = 'delivered',
  ageDays = 10,
  patternClass: PatternClass = 'word',
): Outcome {
  return { email: emailOf(address), kind, patternClass, observedAtMs: fixedNowMs - ageDays * dayMs };
}
const fixedNowMs = Date.now();
const paying = (accountId: AccountId) => ({ accountId, hasPaid: true });
const free = (accountId: AccountId) => ({ accountId, hasPaid: false });

describe('outcomes', () => {
  test('are kept once, however often and at once they are reported', async () => {
    const outcomes = [
      outcome('ada@a.example'),
      outcome('ada@a.example'),
      outcome('bob@a.example', 'replied'),
    ];
    const counts = await Promise.all([
      store.record(paying(ada), outcomes),
      store.record(paying(ada), [...outcomes].reverse()),
      store.record(paying(ada), outcomes),
    ]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await store.ofAddress(emailOf('ada@a.example'), undefined)).toEqual([
      { accountId: ada, kind: 'delivered', ageDays: expect.closeTo(10, 1) },
    ]);
    // The same report by another account is a separate outcome.
    expect(await store.record(paying(grace), outcomes)).toBe(2);
  });

  test('are kept without address and domain', async () => {
    await store.record(paying(ada), [outcome('ada.lovelace@a.example', 'delivered', 1, 'word.word')]);
    const { rows } = await pool.query('SELECT * FROM outcome');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/lovelace|a\.example/);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('ada.lovelace@a.example').toString('hex'));
  });

  test('leave one job for each report with something new, and it names the report alone', async () => {
    await store.record(paying(ada), [outcome('ada@a.example'), outcome('bob@b.example')]);
    await store.record(paying(ada), [outcome('ada@a.example')]);
    await store.record(paying(grace), [outcome('eve@b.example')]);
    const { rows } = await pool.query('SELECT job_type, payload FROM outbox ORDER BY outbox_id');
    expect(rows.map(({ job_type }) => job_type)).toEqual([forgetVerdictsJob.name, forgetVerdictsJob.name]);
    const { outcomeReportId } = forgetVerdictsJob.payload.parse(rows[0]?.payload);
    expect(await store.addressesIn(outcomeReportId)).toHaveLength(2);
  });

  test('of a domain are tallied by account and shape, by what was seen last, without the address itself', async () => {
    await store.record(paying(ada), [
      outcome('a.one@a.example', 'delivered', 10, 'initial.word'),
      outcome('a.one@a.example', 'mailbox_missing', 5, 'initial.word'),
      outcome('b.two@a.example', 'mailbox_missing', 10, 'initial.word'),
      outcome('b.two@a.example', 'replied', 5, 'initial.word'),
      // Of two outcomes at the same time, the bounce counts as the later one.
      outcome('c.three@a.example', 'delivered', 7, 'initial.word'),
      outcome('c.three@a.example', 'mailbox_disabled', 7, 'initial.word'),
      outcome('d.four@a.example', 'not_about_mailbox', 1, 'initial.word'),
      outcome('five@a.example', 'mailbox_full', 1),
      outcome('six@b.example', 'delivered', 1),
      outcome('seven@a.example', 'delivered', 1),
    ]);
    await store.record(paying(grace), [outcome('eight@a.example', 'delivered', 1)]);
    const tallies = await store.ofDomain(emailOf('seven@a.example'), undefined);
    expect(tallies).toHaveLength(3);
    expect(tallies).toEqual(
      expect.arrayContaining([
        { accountId: ada, patternClass: 'initial.word', good: 1, bad: 2 },
        { accountId: ada, patternClass: 'word', good: 1, bad: 0 },
        { accountId: grace, patternClass: 'word', good: 1, bad: 0 },
      ]),
    );
  });

  test('of accounts that have not paid count for them alone', async () => {
    await store.record(free(ada), [outcome('ada@a.example'), outcome('bob@a.example')]);
    await store.record(paying(grace), [outcome('ada@a.example', 'replied'), outcome('bob@a.example')]);
    const email = emailOf('ada@a.example');
    const reporters = async (asker: AccountId) => ({
      ofAddress: (await store.ofAddress(email, asker)).map(({ accountId }) => accountId),
      ofDomain: (await store.ofDomain(email, asker)).map(({ accountId }) => accountId).sort(),
    });
    const both = [ada, grace].sort();
    expect(await reporters(ada)).toEqual({ ofAddress: [ada, grace], ofDomain: both });
    expect(await reporters(grace)).toEqual({ ofAddress: [grace], ofDomain: [grace] });
    expect(await reporters(newId('account'))).toEqual({ ofAddress: [grace], ofDomain: [grace] });
  });

  test('are limited for each account, so that one cannot displace another', async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      outcome('ada@a.example', 'delivered', 1 + index / 1000),
    );
    const flooders = Array.from({ length: 10 }, () => newId('account'));
    for (const flooder of flooders) {
      await store.record(paying(flooder), many);
    }
    await store.record(free(ada), [outcome('ada@a.example', 'replied', 90)]);
    const known = await store.ofAddress(emailOf('ada@a.example'), ada);
    expect(known[0]).toMatchObject({ accountId: ada, kind: 'replied' });
    const counts = Map.groupBy(known, ({ accountId }) => accountId);
    expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBe(20);
    expect(known).toHaveLength(10 * 20 + 1);
  });

  test('of a domain are limited for each other account, and not for the account that asks', async () => {
    const flood = Array.from({ length: 5_100 }, (_, at) => outcome(`x${at}@a.example`, 'delivered', 1));
    await store.record(paying(ada), flood);
    await store.record(paying(grace), [outcome('old@a.example', 'delivered', 200)]);
    const good = async (asker: AccountId) => {
      const tallies = await store.ofDomain(emailOf('ada@a.example'), asker);
      return Object.fromEntries(tallies.map(tally => [tally.accountId, tally.good]));
    };
    expect(await good(newId('account'))).toEqual({ [ada]: 50, [grace]: 1 });
    expect(await good(ada)).toEqual({ [ada]: 5_000, [grace]: 1 });
  });

  test('tell whether an account has reported any at a domain', async () => {
    await store.record(paying(ada), [outcome('ada@a.example')]);
    expect(await store.hasReported(ada, emailOf('somebody@a.example'))).toBe(true);
    expect(await store.hasReported(ada, emailOf('ada@b.example'))).toBe(false);
    expect(await store.hasReported(grace, emailOf('ada@a.example'))).toBe(false);
  });

  test('are deleted when they are older than they are kept, so many at a time', async () => {
    await store.record(
      paying(ada),
      [1, 2, 3, 4].map(age => outcome('ada@a.example', 'delivered', age * 100)),
    );
    expect(await store.purge(250, 1)).toBe(1);
    expect(await store.purge(250, 10)).toBe(1);
    expect(await store.purge(250, 10)).toBe(0);
    expect(await store.ofAddress(emailOf('ada@a.example'), undefined)).toHaveLength(2);
  });

  test('cannot be changed by the service', async () => {
    await expect(pool.query("UPDATE outcome SET kind = 'delivered'")).rejects.toMatchObject({
      code: '42501',
    });
  });
});

describe('snapshots', () => {
  test('are kept once a day for each address, and deleted when they are old', async () => {
    const hasher = createAddressHasher(new TextEncoder().encode('a key of the test'));
    const snapshots = createEvidenceSnapshots(pool, hasher);
    const email = emailOf('ada@a.example');
    await snapshots.take(email, [{ source: 'openpgpkey', finding: 'published' }]);
    await snapshots.take(email, [{ source: 'openpgpkey', finding: 'not_published' }]);
    const { rows } = await pool.query('SELECT findings FROM evidence_snapshot');
    expect(rows).toEqual([{ findings: [{ source: 'openpgpkey', finding: 'published' }] }]);
    expect(await snapshots.purge(1, 10)).toBe(0);
    const owner = new pg.Client(database.ownerUrl);
    await owner.connect();
    await owner.query("UPDATE evidence_snapshot SET taken_at = now() - interval '2 days'");
    await owner.end();
    expect(await snapshots.purge(1, 10)).toBe(1);
  });
});
