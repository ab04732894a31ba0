import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ServiceProcess } from '@mailproof/dev-house';
import { type Catalog, type ExpectedVerdict, type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Asked, type Crowd, openCrowd } from './crowd.ts';
import { openTestHouse, type TestHouse, validating } from './house.ts';
import { until } from './until.ts';

/**
 * Kills an engine in the middle of many probes and restarts it. `pnpm test:faults` validates 1,000 addresses in each
 * test; the usual run validates few, and only in the tests that also lose Redis, so that it takes seconds.
 */
const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
const probesCount = isLong ? 1_000 : 60;
const retriesBeforeKill = isLong ? 200 : 1;
/** Enough domains that the slots a killed engine leaves occupied never fill one host. */
const domainsPerTest = Math.min(100, probesCount / 2);
const timeoutMs = isLong ? 300_000 : 90_000;
// A test waits a few times at most, and a failed wait is more informative than the test's timeout.
jest.setTimeout(3 * timeoutMs);

/** Slow enough to kill the engine in the middle. */
const replyDelayMs = 20;
/** Each recipient is unknown at the first attempt and known at the second. */
const greylistMs = 1;

const greylistedAndKept = makeDomains('greylist-kept', { greylistMs });
const greylistedAndFlushed = makeDomains('greylist-flushed', { greylistMs });
const open = makeDomains('open', {});

let folder: string;
let lab: MailLab;
let test: TestHouse;
let crowd: Crowd;
let engine: ServiceProcess;
let engineDatabase: pg.Pool;
let ledgerDatabase: pg.Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-engine-faults-'));
  lab = await startMailLab({ catalog: [...greylistedAndKept, ...greylistedAndFlushed, ...open] });
  const caFile = join(folder, 'lab-ca.pem');
  await writeFile(caFile, lab.caCertificatePem);
  test = await openTestHouse({
    inOneProcess: false,
    only: validating,
    lab: false,
    env: {
      'validation-engine': {
        VALIDATION_DNS_SERVERS: lab.dnsServer,
        VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
        VALIDATION_SMTP_PORT: String(lab.smtpPort),
        VALIDATION_HTTPS_PORT: String(lab.httpsPort),
        VALIDATION_CA_FILE: caFile,
        // The next request must find the verdict of the retry, not the earlier `unknown`.
        VALIDATION_MEMORY_UNKNOWN_SECONDS: '0',
      },
    },
  });
  crowd = await openCrowd(test);
  engine = test.house.services['validation-engine'] as ServiceProcess;
  engineDatabase = new pg.Pool({
    connectionString: test.house.databaseUrls['validation']?.migrationDatabaseUrl ?? '',
  });
  ledgerDatabase = new pg.Pool({
    connectionString: test.house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '',
  });
});

afterAll(async () => {
  await engineDatabase?.end();
  await ledgerDatabase?.end();
  await test?.stop();
  await lab?.close();
  await rm(folder, { recursive: true, force: true });
});

function makeDomains(kind: string, departure: { readonly greylistMs?: number }): Catalog {
  return Array.from({ length: domainsPerTest }, (_, index) => {
    const domain = `${kind}-${index}.example`;
    const host = `mx.${domain}`;
    const locals = Array.from({ length: Math.ceil(probesCount / domainsPerTest) }, (_, n) => `person${n}`);
    // Every fifth mailbox does not exist.
    const exists = (position: number) => (position + index) % 5 !== 0;
    return {
      domain,
      story: 'One of many whose engine is killed.',
      dns: { mx: [[10, host]] },
      hosts: {
        [host]: postfix(
          locals.filter((_, n) => exists(n)),
          { replyDelayMs, ...departure },
        ),
      },
      expected: locals.map((local, n) => ({
        address: `${local}@${domain}`,
        result: exists(n) ? 'ok' : 'invalid',
        reason: exists(n) ? 'mailbox_exists' : 'mailbox_missing',
      })),
    };
  });
}

/**
 * The first address of each domain, then the second of each, and so on, so that adjacent addresses are at different
 * hosts.
 */
function addressesOf(domains: Catalog): ExpectedVerdict[] {
  const longest = Math.max(...domains.map(({ expected }) => expected.length));
  return Array.from({ length: longest }, (_, row) =>
    domains.flatMap(({ expected }) => expected[row] ?? []),
  ).flat();
}

/** Answers that differ from the catalog or were not charged. */
function wrongAnswers(asked: readonly Asked[], expected: readonly ExpectedVerdict[]): object[] {
  const results = new Map(expected.map(({ address, result }) => [address, result]));
  return asked
    .filter(
      ({ address, answer: { status, body } }) =>
        status !== 200 || body['result'] !== results.get(address) || body['credits_consumed'] !== true,
    )
    .map(({ address, answer: { status, body } }) => ({ address, status, body }));
}

async function deferredCount(): Promise<number> {
  const { rows } = await engineDatabase.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM deferred_probe',
  );
  return rows[0]?.count ?? 0;
}

function contacts(): { connections: number; recipientsAsked: number } {
  const hosts = Object.values(lab.counts().smtp);
  return {
    connections: hosts.reduce((sum, { connections }) => sum + connections, 0),
    recipientsAsked: hosts.reduce((sum, { recipientsAsked }) => sum + recipientsAsked, 0),
  };
}

const losses = [
  { redis: 'flushed', domains: greylistedAndFlushed },
  ...(isLong ? ([{ redis: 'kept', domains: greylistedAndKept }] as const) : []),
] as const;

describe.each(losses)(
  'an engine that is killed in the middle of its retries, with Redis $redis',
  ({ redis, domains }) => {
    it('asks about every deferred address again, and the next question finds each verdict', async () => {
      const expected = addressesOf(domains);
      const addresses = expected.map(({ address }) => address);
      const before = await crowd.credits();
      const first = await crowd.ask(addresses);
      const reasons = new Set(
        first.map(({ answer }) => (answer.body['details'] as { reason: string }).reason),
      );
      expect(reasons).toEqual(new Set(['greylisted']));
      expect(await deferredCount()).toBe(expected.length);
      expect(await crowd.credits()).toBe(before);

      const { recipientsAsked } = contacts();
      await engineDatabase.query('UPDATE outbox SET due_at = now() WHERE done_at IS NULL');
      const leftAtKill = expected.length - retriesBeforeKill;
      await until('the first retries', deferredCount, left => left <= leftAtKill, timeoutMs);
      await engine.kill('SIGKILL');
      const left = await deferredCount();
      expect(left).toBeGreaterThan(0);
      if (redis === 'flushed') {
        await loseRedis();
      }
      await engine.restart();
      await until('every retry', deferredCount, count => count === 0, timeoutMs);

      expect(contacts().recipientsAsked - recipientsAsked).toBeGreaterThanOrEqual(expected.length);
      expect(await openOutboxRows()).toEqual({ open: 0, failed: 0 });
      const { connections } = contacts();
      expect(wrongAnswers(await crowd.ask(addresses), expected)).toEqual([]);
      // Verdicts are cached in Redis: only those from before its loss are requested again.
      const askedAgain = redis === 'flushed' ? expected.length - left : 0;
      expect(contacts().connections - connections).toBeLessThanOrEqual(askedAgain);
      expect(await crowd.credits()).toBe(before - expected.length);
      await expectCleanLedger();
    });
  },
);

describe('an engine that is killed while customers wait', () => {
  it('costs no one a credit for an answer that was not given, and each answer one', async () => {
    const expected = addressesOf(open);
    const before = await crowd.credits();
    let answers = 0;
    const killed = Promise.withResolvers<void>();
    const asking = crowd.ask(
      expected.map(({ address }) => address),
      () => {
        answers += 1;
        // Kills the engine here, where other requests are certain to be waiting.
        if (answers === Math.ceil(expected.length / 3)) {
          killed.resolve(engine.kill('SIGKILL'));
        }
      },
    );
    await killed.promise;
    await engine.restart();
    const asked = await asking;

    expect(asked).toHaveLength(expected.length);
    expect(wrongAnswers(asked, expected)).toEqual([]);
    // Without refusals the engine would have been killed while no request waited.
    expect(asked.filter(({ refusals }) => refusals > 0).length).toBeGreaterThan(0);
    expect(await crowd.credits()).toBe(before - expected.length);
    await expectCleanLedger();
  });
});

async function loseRedis(): Promise<void> {
  const redis = new Redis(test.house.redisUrl);
  await redis.flushdb();
  redis.disconnect();
}

async function openOutboxRows(): Promise<{ open: number; failed: number } | undefined> {
  // A row is marked after its address was forgotten, so the last ones may lag slightly.
  return until(
    'the end of the outbox',
    async () => {
      const { rows } = await engineDatabase.query<{ open: number; failed: number }>(
        `SELECT count(*) FILTER (WHERE done_at IS NULL AND failed_at IS NULL)::int AS open,
          count(*) FILTER (WHERE failed_at IS NOT NULL)::int AS failed FROM outbox`,
      );
      return rows[0];
    },
    row => row?.open === 0,
    timeoutMs,
  );
}

/** No credit is still held, and everything missing from the balances was settled, once per hold. */
async function expectCleanLedger(): Promise<void> {
  await until(
    'the end of every hold',
    async () => (await ledgerDatabase.query("SELECT FROM hold WHERE state = 'pending'")).rowCount,
    pending => pending === 0,
  );
  const { rows } = await ledgerDatabase.query(
    `SELECT account_id FROM account
     WHERE held <> 0 OR available
       <> coalesce((SELECT sum(amount) FROM credit_grant WHERE credit_grant.account_id = account.account_id), 0)
        - coalesce((SELECT sum(settled) FROM hold WHERE hold.account_id = account.account_id), 0)
     UNION ALL
     SELECT account_id FROM hold
     WHERE (SELECT count(*) FROM entry WHERE entry.hold_id = hold.hold_id AND kind <> 'hold') <> 1`,
  );
  expect(rows).toEqual([]);
}
