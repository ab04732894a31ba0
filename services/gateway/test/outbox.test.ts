import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asRedisUser, testRedisUrl } from '@mailproof/dev-house';
import { createLogger, inTransaction } from '@mailproof/service-kit';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { type AccountId, newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createAccountStore, insertFreeAccount } from '../src/adapters/postgres/account-store.ts';
import type { AccountStore } from '../src/domain/accounts/account.ts';
import type { CreditPort, CyclePort } from '../src/domain/charging/credit-port.ts';
import { startJobs } from '../src/workers/jobs.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';
import { until } from './until.ts';

let database: OpenTestDatabase;
let redisUrl: string;
let redis: Redis;
let admin: Redis;
let accounts: AccountStore;

beforeAll(async () => {
  database = await openTestDatabase(4);
  accounts = createAccountStore(database.prisma);
  const adminUrl = await testRedisUrl();
  redisUrl = asRedisUser('gateway', adminUrl);
  admin = openRedis(adminUrl, () => undefined);
  redis = openRedis(redisUrl, () => undefined);
  await Promise.all([admin, redis].map(each => untilConnected(each, 5_000)));
});

afterAll(async () => {
  redis.disconnect();
  admin.disconnect();
  await database?.close();
});

interface Grant {
  readonly grantId: string;
  readonly accountId: AccountId;
  readonly amount: number;
}

/** Runs the relay and the workers against a ledger that counts grants and may fail first. */
async function withBackgroundWork(
  failures: number,
  work: (grants: Grant[], opened: readonly AccountId[]) => Promise<void>,
  intervalMs = 100,
): Promise<void> {
  const opened: AccountId[] = [];
  const grants: Grant[] = [];
  const failing = () => Promise.reject(new Error('no such call is expected here'));
  let failuresLeft = failures;
  const credits: CreditPort & CyclePort = {
    openCycle: async ({ accountId }) => void opened.push(accountId),
    available: failing,
    reserve: failing,
    settle: failing,
    release: failing,
    async grant(request) {
      if (failuresLeft > 0) {
        failuresLeft -= 1;
        throw new Error('ledger away');
      }
      grants.push(request);
    },
  };
  const background = startJobs({
    pool: database.pool,
    redis,
    redisUrl,
    credits,
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    onRedisError: () => undefined,
    intervalMs,
  });
  try {
    await work(grants, opened);
  } finally {
    await background.close();
  }
}

function arrived(accountId: AccountId): Promise<number> {
  return until(
    'the arrival of what was granted',
    () => accounts.pendingGrants(accountId),
    pending => pending === 0,
  );
}

function newAccount() {
  return accounts.create({ name: 'Outbox', plan: 'custom', credits: 7 });
}

describe('a grant of credits', () => {
  it('reaches the ledger once after the account was created', async () => {
    await withBackgroundWork(0, async grants => {
      const { accountId } = await newAccount();
      await arrived(accountId);
      expect(grants).toMatchObject([{ accountId, amount: 7 }]);
    });
  });

  it('arrives although the ledger was away at first, under the same id', async () => {
    await withBackgroundWork(2, async grants => {
      const { accountId } = await newAccount();
      await arrived(accountId);
      expect(new Set(grants.map(({ grantId }) => grantId)).size).toBe(1);
    });
  });

  it('arrives although Redis lost its queue', async () => {
    const { accountId } = await newAccount();
    await database.pool.query(
      "UPDATE outbox SET enqueued_at = now() - interval '1 minute' WHERE done_at IS NULL",
    );
    await admin.flushdb();
    await withBackgroundWork(0, async grants => {
      await arrived(accountId);
      expect(grants).toMatchObject([{ accountId, amount: 7 }]);
    });
  });

  it('is not held up by work that only a newer release knows, which is left to it', async () => {
    const { rowCount } = await database.pool.query(
      `INSERT INTO outbox (job_type, payload, due_at)
       SELECT 'gateway.of-a-newer-release', '{}', now() - interval '1 day' FROM generate_series(1, 250)`,
    );
    await withBackgroundWork(0, async () => {
      const { accountId } = await newAccount();
      await arrived(accountId);
    });
    const left = await database.pool.query(
      `DELETE FROM outbox WHERE job_type = 'gateway.of-a-newer-release' AND enqueued_at IS NULL AND done_at IS NULL`,
    );
    expect(left.rowCount).toBe(rowCount);
  });

  it('is refused for an account that does not exist', async () => {
    expect(await accounts.requestGrant(newId('account'), 1)).toBe(false);
  });
});

describe('work that this process has committed', () => {
  it('starts at once, however rarely the outbox is polled', async () => {
    await withBackgroundWork(
      0,
      async (_grants, opened) => {
        const accountId = newId('account') as AccountId;
        // The first poll, at the start, is over.
        await database.pool.query('UPDATE outbox SET done_at = now() WHERE done_at IS NULL');
        await wait(300);
        const startedMs = performance.now();
        await inTransaction(database.pool, client =>
          insertFreeAccount(client, { accountId, name: 'Woken', now: new Date() }),
        );
        await until(
          'the first cycle',
          async () => opened.includes(accountId),
          isOpened => isOpened,
        );
        expect(performance.now() - startedMs).toBeLessThan(10_000);
      },
      60_000,
    );
  });
});
