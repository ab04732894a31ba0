import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catchAllPostfix, type MailLab, startMailLab } from '@mailproof/mail-lab';
import { type AccountId, newId } from '@mailproof/shared-types';
import pg from 'pg';
import { composeLabeledSnapshots } from '../src/compose/store.ts';
import { labSettings, startEngine, type TestEngine, until, untilJobsAreDone } from './engine-in-lab.ts';

let lab: MailLab;
let engine: TestEngine;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'takes-all.example',
        story: 'Accepts every recipient.',
        dns: { mx: [[10, 'mx.takes-all.example']] },
        hosts: { 'mx.takes-all.example': catchAllPostfix() },
        expected: [],
      },
    ],
  });
  engine = await startEngine({ ...labSettings(lab), VALIDATION_MEMORY_DECIDED_SECONDS: '3600' });
});

afterAll(async () => {
  await engine?.stop();
  await lab?.close();
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const delivered = (email: string, days = 3) => ({ email, outcome: 'delivered', observedAt: daysAgo(days) });
const bounced = (email: string, days = 3) => ({
  email,
  outcome: 'bounced',
  observedAt: daysAgo(days),
  text: '550 5.1.1 User unknown',
});
const accounts = (count: number) => Array.from({ length: count }, () => newId('account'));
const resultFor = async (email: string, account: AccountId | undefined) =>
  (await engine.validate(email, 60_000, account)).result;

/** Waits for a result: after a report, the engine forgets its verdict in the background. */
async function untilResult(email: string, account: AccountId | undefined, result: string): Promise<void> {
  await until(async () => (await resultFor(email, account)) === result);
}

describe('an account’s own delivery', () => {
  const email = 'ada@takes-all.example';
  const [own, other] = accounts(2);

  test('confirms the address for it, and says why', async () => {
    await engine.report([delivered(email)], own);
    // The report makes the engine forget its verdict on the address; later tests store it again.
    await untilJobsAreDone(engine);
    const { result, reason, details } = await engine.validate(email, 60_000, own);
    expect([result, reason]).toEqual(['catch_all_validated', 'evidence_confirms']);
    expect(details.catch_all?.evidence).toContainEqual({
      source: 'outcome_history',
      finding: 'delivered',
      weight: expect.closeTo(4 * 0.5 ** (3 / 60), 2),
      address_specific: true,
      age_days: expect.closeTo(3, 1),
    });
  });

  test('is no evidence for another account, neither directly nor from memory', async () => {
    const { result, details } = await engine.validate(email, 60_000, other);
    expect(result).toBe('catch_all');
    expect(JSON.stringify(details)).not.toMatch(/outcome_history|acct_/);
    // Each account now gets its own verdict from memory.
    const remembered = await engine.validate(email, 60_000, own);
    expect([remembered.result, remembered.details.sessions]).toEqual(['catch_all_validated', []]);
    const others = await engine.validate(email, 60_000, other);
    expect([others.result, others.details.sessions]).toEqual(['catch_all', []]);
  });

  test('counts at once where another account’s question is remembered', async () => {
    const grace = 'grace@takes-all.example';
    expect(await resultFor(grace, other)).toBe('catch_all');
    await engine.report([delivered(grace)], own);
    expect(await resultFor(grace, own)).toBe('catch_all_validated');
  });

  test('is forgotten with the memory of it when a bounce is reported', async () => {
    await engine.report([bounced(email, 1)], own);
    await untilResult(email, own, 'catch_all');
  });
});

describe('the deliveries of others', () => {
  const email = 'bob@takes-all.example';
  const [first, second, asker] = accounts(3);

  test('confirm an address where two accounts agree, and their source is not shown', async () => {
    expect(await resultFor(email, asker)).toBe('catch_all');
    await engine.report([delivered(email, 40), delivered(email, 2)], first);
    expect(await resultFor(email, asker)).toBe('catch_all');
    await engine.report([delivered(email, 20)], second);
    await untilResult(email, asker, 'catch_all_validated');
    const { details } = await engine.validate(email, 60_000, asker);
    const shown = details.catch_all?.evidence.find(({ source }) => source === 'outcome_history');
    expect(shown).toEqual({
      source: 'outcome_history',
      finding: 'delivered',
      weight: expect.any(Number),
      address_specific: true,
      age_days: 30,
    });
    expect(JSON.stringify(details)).not.toMatch(/acct_|agreed|report_/);
  });
});

describe('the outcomes of accounts that have not paid', () => {
  const email = 'mallory@takes-all.example';
  const [first, second, third, asker] = accounts(4);

  test('count for them, and neither confirm nor refute an address for others', async () => {
    await engine.report([delivered(email, 2)], first, false);
    await engine.report([delivered(email, 2)], second, false);
    await untilResult(email, first, 'catch_all_validated');
    await untilJobsAreDone(engine);
    expect(await resultFor(email, asker)).toBe('catch_all');
    // One that has paid agrees with them, and is still alone.
    await engine.report([delivered(email, 2), delivered(email, 4), delivered(email, 6)], third);
    await untilJobsAreDone(engine);
    expect(await resultFor(email, asker)).toBe('catch_all');
  });

  test('do not outvote those that have', async () => {
    const [paid, alsoPaid] = accounts(2);
    await engine.report([delivered(email, 2)], paid);
    await engine.report([delivered(email, 2)], alsoPaid);
    for (const account of accounts(5)) {
      await engine.report([bounced(email, 1)], account, false);
    }
    await untilJobsAreDone(engine);
    expect(await resultFor(email, asker)).toBe('catch_all_validated');
  });
});

describe('what the sources found', () => {
  const email = 'eve@takes-all.example';
  const [own] = accounts(1);
  const now = () => new Date().toISOString();

  test('is kept without the address, and labeled by the outcomes that follow', async () => {
    const snapshots = composeLabeledSnapshots({ DATABASE_URL: engine.databaseUrl });
    const database = new pg.Pool({ connectionString: engine.databaseUrl });
    try {
      const before = (await snapshots.labeled()).length;
      await engine.validate(email, 60_000, own);
      const taken = () => database.query('SELECT * FROM evidence_snapshot ORDER BY 1 DESC LIMIT 1');
      // The answer does not wait for the snapshot, which is the first of this file for the address.
      await until(async () => JSON.stringify((await taken()).rows).includes('not_published'));
      const { rows } = await taken();
      expect(rows[0].findings).toContainEqual({ source: 'openpgpkey', finding: 'not_published' });
      expect(JSON.stringify(rows)).not.toMatch(/eve|takes-all/);
      expect(await snapshots.labeled()).toHaveLength(before);
      await engine.report([{ email, outcome: 'bounced', observedAt: now(), code: '554 5.7.1' }], own);
      expect(await snapshots.labeled()).toHaveLength(before);
      await engine.report([{ email, outcome: 'bounced', observedAt: now(), code: '5.1.1' }], own);
      const labeled = await snapshots.labeled();
      expect(labeled).toHaveLength(before + 1);
      expect(labeled.filter(({ exists }) => !exists)).toContainEqual({
        domain: expect.stringMatching(/^[0-9a-f]{64}$/),
        exists: false,
        account: own,
        observations: expect.arrayContaining([{ source: 'webfinger', finding: 'not_published' }]),
      });
    } finally {
      await snapshots.close();
      await database.end();
    }
  });
});
