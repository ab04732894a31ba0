import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { startSubmissionHost } from '@mailproof/mail-lab';
import { Redis } from 'ioredis';
import pg from 'pg';
import { accounting, openTestHouse, Person, type TestHouse, testPassword } from './house.ts';
import { logsOf } from './house-telemetry.ts';
import { until } from './until.ts';

const canary = 'canary.person';
let test: TestHouse;
let redis: Redis;
let database: pg.Client;

beforeAll(async () => {
  test = await openTestHouse({
    only: accounting,
    replicas: { gateway: 1 },
    env: { gateway: { LOG_LEVEL: 'debug' } },
  });
  redis = new Redis(test.house.redisUrl);
  database = new pg.Client({ connectionString: test.house.databaseUrls['gateway']?.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  redis.disconnect();
  await database.end();
  await test.stop();
});

/** All keys and values in Redis. */
async function everythingInRedis(): Promise<string> {
  const keys = await redis.keys('*');
  const values = await Promise.all(
    keys.map(async key => {
      switch (await redis.type(key)) {
        case 'hash':
          return redis.hgetall(key);
        case 'zset':
          return redis.zrange(key, '0', '-1');
        case 'list':
          return redis.lrange(key, 0, -1);
        case 'set':
          return redis.smembers(key);
        case 'stream':
          return redis.xrange(key, '-', '+');
        default:
          return redis.get(key);
      }
    }),
  );
  return JSON.stringify([keys, values]);
}

/** The sessions, links, jobs and events in Postgres, and the number of mails. */
async function everythingInTables(): Promise<{ readonly mails: number }> {
  const { rows } = await database.query(
    `SELECT (SELECT json_agg(session) FROM gateway.session) AS sessions,
            (SELECT json_agg(l) FROM gateway.one_time_link l) AS links,
            (SELECT json_agg(o) FROM gateway.outbox o) AS outbox,
            (SELECT json_agg(e) FROM gateway.security_event e) AS events,
            (SELECT count(*)::int FROM gateway.mail) AS mails`,
  );
  return rows[0];
}

const signUp = (visitor: Person) => visitor.post('/sign-ups', { email: visitor.email, name: 'Canary Ltd' });

describe('mail', () => {
  it('waits while the mail host is away, and nothing about a person is in Redis or in a log meanwhile', async () => {
    const visitor = test.stranger(`${canary}@ordinary.example`);
    const { mail } = test.house;
    if (!mail) {
      throw new Error('This house has no mail host.');
    }
    await mail.close();
    expect((await signUp(visitor)).status).toBe(202);
    await waitFor(
      'The mail is tried and fails',
      async () => (await logsOf(test.house)).includes('job attempt failed'),
      { deadlineMs: 60_000 },
    );
    // The job is there with its failure, which is recorded a moment after the log line.
    const inRedis = await until('the failed job', everythingInRedis, text =>
      ['gateway.send-mail', 'The mail was rejected'].every(part => text.includes(part)),
    );
    for (const secret of [canary, testPassword, 'mp_link_', 'Canary Ltd']) {
      expect(inRedis).not.toContain(secret);
    }
    const host = await startSubmissionHost({
      directory: mail.directory,
      port: Number(new URL(mail.url).port),
    });
    try {
      const { token } = await test.mail(visitor.email);
      expect(token).toMatch(/^mp_link_/);
      const confirmed = await visitor.post('/sign-ups/confirmation', { token, password: testPassword });
      expect(confirmed.status).toBe(200);
      await visitor.trySignIn('a wrong canary password');
      await test.stranger().get('/session', { cookie: `__Host-mailproof_session=${visitor.sessionToken}x` });

      // Postgres holds no token either, only data that reveals nothing, and the mail is deleted.
      const tables = await until('the end of the mail', everythingInTables, ({ mails }) => mails === 0);
      const rows = JSON.stringify(tables);
      expect(rows).toContain('sign_in_failed');
      const logs = await until(
        'the log of the mail',
        () => logsOf(test.house),
        text => text.includes('mail sent'),
      );
      const everything = `${await everythingInRedis()}\n${logs}`;
      for (const secret of [token, visitor.sessionToken ?? '', testPassword, 'canary password']) {
        expect(secret.length).toBeGreaterThan(10);
        expect(everything).not.toContain(secret);
        expect(rows).not.toContain(secret);
      }
      expect(everything).not.toContain(canary);
      expect(everything).not.toContain('Canary Ltd');
    } finally {
      await host.close();
    }
  });
});

describe('without a mail host', () => {
  let silent: TestHouse;

  beforeAll(async () => {
    silent = await openTestHouse({ only: accounting, env: { gateway: { MAIL_SMTP_URL: '' } } });
  });

  afterAll(() => silent.stop());

  it('what needs mail is answered with 503 and a remedy, and signing in works', async () => {
    const owner = await (await silent.owner()).signIn();
    const email = silent.stranger().email;
    for (const answer of [
      await signUp(silent.stranger()),
      await owner.post('/password-resets', { email: owner.email }),
      await owner.post('/email-changes', { email, current_password: testPassword }),
      await owner.post('/members/invitations', { email }),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'mail_not_configured' } });
    }
    // A change is made even if its notice cannot be mailed.
    const changed = await owner.put('/password', {
      current_password: testPassword,
      new_password: 'another password for tests',
    });
    expect(changed.status).toBe(200);
    expect(await new Person(owner, silent.house.gatewayUrls).trySignIn()).toMatchObject({ status: 401 });
  });
});
