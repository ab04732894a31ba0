import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AccountId, newId } from '@mailproof/shared-types';
import { createAccountStore } from '../src/adapters/postgres/account-store.ts';
import { createIdempotencyStore } from '../src/adapters/postgres/idempotency-store.ts';
import {
  type IdempotencyAttempt,
  type IdempotencyStore,
  secretsOf,
} from '../src/domain/charging/idempotency.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

let database: OpenTestDatabase;
let records: IdempotencyStore;
let accountId: AccountId;

beforeAll(async () => {
  database = await openTestDatabase();
  records = createIdempotencyStore(database.pool);
});

afterAll(() => database?.close());

beforeEach(async () => {
  const created = await createAccountStore(database.prisma).create({
    name: 'Keys',
    plan: 'custom',
    credits: 0,
  });
  accountId = created.accountId;
});

function attemptOf(input: unknown, times: Partial<IdempotencyAttempt> = {}): IdempotencyAttempt {
  const { lookup, fingerprint } = secretsOf(accountId, 'key');
  return {
    accountId,
    lookup,
    fingerprint: fingerprint('operation', input),
    requestId: newId('request'),
    leaseMs: 60_000,
    keptMs: 60_000,
    ...times,
  };
}

const answer = new Uint8Array([1, 2, 3]);

describe('the record of an idempotency key', () => {
  it('belongs to the first of many who ask at once', async () => {
    const attempts = Array.from({ length: 30 }, () => attemptOf('x'));
    const started = await Promise.all(attempts.map(attempt => records.begin(attempt)));
    expect(started.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    expect(started.filter(({ kind }) => kind === 'inUse')).toHaveLength(29);
  });

  it('answers with what was kept, and refuses another request', async () => {
    const first = attemptOf('x');
    await records.begin(first);
    await records.keep(first, answer);
    const again = await records.begin(attemptOf('x'));
    expect(again).toMatchObject({ kind: 'answered', runId: first.requestId });
    expect(again.kind === 'answered' && new Uint8Array(again.sealedAnswer)).toEqual(answer);
    expect(await records.begin(attemptOf('y'))).toEqual({ kind: 'reused' });
  });

  it('refuses another request while the first is in flight too', async () => {
    await records.begin(attemptOf('x'));
    expect(await records.begin(attemptOf('y'))).toEqual({ kind: 'reused' });
  });

  it('is taken over with its run once the lease is over, by one of many', async () => {
    const dead = attemptOf('x', { leaseMs: 0 });
    await records.begin(dead);
    const started = await Promise.all(Array.from({ length: 20 }, () => records.begin(attemptOf('x'))));
    expect(started.filter(({ kind }) => kind === 'started')).toEqual([
      { kind: 'started', runId: dead.requestId },
    ]);
  });

  it('stores nothing of an attempt that lost its lease, and such an attempt cannot delete the record', async () => {
    const slow = attemptOf('x', { leaseMs: 0 });
    await records.begin(slow);
    const second = attemptOf('x');
    await records.begin(second);
    expect(await records.keep(slow, new Uint8Array([9]))).toBe(false);
    await records.abandon(slow);
    expect(await records.begin(attemptOf('x'))).toEqual({ kind: 'inUse' });
    expect(await records.keep(second, answer)).toBe(true);
    expect(await records.begin(attemptOf('x'))).toMatchObject({ kind: 'answered', runId: slow.requestId });
  });

  it('starts again after an attempt that failed', async () => {
    const failed = attemptOf('x');
    await records.begin(failed);
    await records.abandon(failed);
    const next = attemptOf('y');
    expect(await records.begin(next)).toEqual({ kind: 'started', runId: next.requestId });
  });

  it('does not abandon what was answered', async () => {
    const first = attemptOf('x');
    await records.begin(first);
    await records.keep(first, answer);
    await records.abandon(first);
    expect(await records.begin(attemptOf('x'))).toMatchObject({ kind: 'answered' });
  });

  it('starts again with a new run after it expires, swept or not', async () => {
    const old = attemptOf('x', { keptMs: 0 });
    await records.begin(old);
    await records.keep(old, answer);
    const next = attemptOf('y');
    expect(await records.begin(next)).toEqual({ kind: 'started', runId: next.requestId });
    expect(await records.begin(attemptOf('y'))).toEqual({ kind: 'inUse' });
  });

  it('is swept when its time is over, and no sooner', async () => {
    await records.begin(attemptOf('x', { keptMs: 0 }));
    await records.sweep();
    const count = () =>
      database.pool.query('SELECT FROM idempotency_record WHERE account_id = $1', [accountId]);
    expect((await count()).rowCount).toBe(0);
    await records.begin(attemptOf('x'));
    await records.sweep();
    expect((await count()).rowCount).toBe(1);
  });
});
