import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import pg from 'pg';
import { accountId, startEngine, type TestEngine, untilJobsAreDone } from './engine-in-lab.ts';

let engine: TestEngine;
let database: pg.Pool;

beforeAll(async () => {
  engine = await startEngine({ VALIDATION_OUTCOME_RETENTION_DAYS: '100' });
  database = new pg.Pool({ connectionString: engine.databaseUrl });
});

afterAll(async () => {
  await database?.end();
  await engine?.stop();
});

const path = '/internal/v1/outcomes';
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('record-outcomes', () => {
  test('tells how many were recorded, repeated and refused, with row and reason', async () => {
    const outcomes = [
      { email: 'ada@a.example', outcome: 'delivered', observedAt: daysAgo(1) },
      { email: 'no address', outcome: 'delivered', observedAt: daysAgo(1) },
      { email: 'bob@a.example', outcome: 'bounced', observedAt: daysAgo(1), code: '5.1.1' },
      { email: 'bob@a.example', outcome: 'delivered', observedAt: daysAgo(101) },
      { email: 'bob@a.example', outcome: 'delivered', observedAt: daysAgo(-2) },
    ];
    const refused = [
      { row: 1, reason: 'invalid_email_address', detail: expect.stringContaining('@') },
      { row: 3, reason: 'too_old', detail: expect.any(String) },
      { row: 4, reason: 'in_the_future', detail: expect.any(String) },
    ];
    const kinds = { delivered: 1, mailbox_missing: 1, replied: 0, not_about_mailbox: 0 };
    expect(await engine.report(outcomes)).toMatchObject({ recorded: 2, repeated: 0, kinds, refused });
    expect(await engine.report(outcomes)).toMatchObject({ recorded: 0, repeated: 2, kinds, refused });
    expect(await engine.report(outcomes, newId('account'))).toMatchObject({ recorded: 2, repeated: 0 });
  });

  const row = { email: 'ada@a.example', outcome: 'delivered', observedAt: daysAgo(1) };

  test.each([
    ['no token', 'nobody', 401, 'invalid_service_token'],
    ['a service that is no caller', 'credit-ledger', 403, 'caller_not_allowed'],
  ] as const)('refuses %s', async (_name, caller, status, code) => {
    const response = await engine.post({ accountId, outcomes: [row] }, caller, path);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  test.each([
    ['no outcomes', { accountId, outcomes: [] }],
    ['too many', { accountId, outcomes: Array.from({ length: 1_001 }, () => row) }],
    ['no account', { outcomes: [row] }],
    ['an outcome that is none', { accountId, outcomes: [{ ...row, outcome: 'eaten' }] }],
    ['a moment that is none', { accountId, outcomes: [{ ...row, observedAt: 'yesterday' }] }],
    ['an unknown member', { accountId, outcomes: [{ ...row, more: true }] }],
  ])('refuses %s', async (_name, body) => {
    const response = await engine.post(body, 'gateway', path);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  });

  test('leaves a job that is done', async () => {
    await engine.report([{ ...row, email: 'eve@a.example' }]);
    await untilJobsAreDone(engine);
    const { rows } = await database.query(
      'SELECT count(*)::int AS failed FROM outbox WHERE failed_at IS NOT NULL',
    );
    expect(rows).toEqual([{ failed: 0 }]);
  });
});
