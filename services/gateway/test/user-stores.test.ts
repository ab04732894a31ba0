import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountId, newId, type UserId } from '@mailproof/shared-types';
import { createAccountStore, createKeyLookup } from '../src/adapters/postgres/account-store.ts';
import { createBillingStore } from '../src/adapters/postgres/billing-store.ts';
import { createLinkStore } from '../src/adapters/postgres/link-store.ts';
import { createMailQueue } from '../src/adapters/postgres/mail-queue.ts';
import { createSecurityEventLog } from '../src/adapters/postgres/security-event-log.ts';
import { createSessionStore } from '../src/adapters/postgres/session-store.ts';
import { createUserStore } from '../src/adapters/postgres/user-store.ts';
import type { OneTimeLinkId } from '../src/domain/users/one-time-link.ts';
import { generateSessionToken } from '../src/domain/users/session.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = new Date('2026-03-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const client = { network: '192.0.2.1', userAgent: 'Test/1' };

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database?.close());

const stores = () => ({
  users: createUserStore(database.pool),
  links: createLinkStore(database.pool),
  queue: createMailQueue(database.pool),
  events: createSecurityEventLog(database.pool),
  sessions: createSessionStore(database.pool, { idleMs: 7 * dayMs, absoluteMs: 30 * dayMs }),
});

async function newUser(): Promise<{ accountId: AccountId; userId: UserId; email: string }> {
  const { accountId } = await createAccountStore(database.prisma).create({
    name: 'Test',
    plan: 'free',
    credits: 0,
  });
  const email = `${newId('user').slice(-20)}@ordinary.example`;
  const user = { accountId, email, passwordHash: 'a hash', role: 'owner' } as const;
  const userId = await stores().users.create(user);
  if (!userId) {
    throw new Error('The user was not made.');
  }
  return { accountId, userId, email };
}

describe('a session', () => {
  it('ends a while after its last request, and at the latest a while after it began', async () => {
    const { sessions } = stores();
    const { userId } = await newUser();
    const token = generateSessionToken();
    await sessions.open({ userId, token, userAgent: '', now: start });
    expect(await sessions.find(token, after(7 * dayMs - 1))).toMatchObject({ userId });
    for (let day = 13; day < 30; day += 6) {
      expect(await sessions.find(token, after(day * dayMs))).toMatchObject({ userId });
    }
    expect(await sessions.find(token, after(30 * dayMs - 1))).toMatchObject({ userId });
    expect(await sessions.find(token, after(30 * dayMs))).toBeUndefined();
    const idle = generateSessionToken();
    await sessions.open({ userId, token: idle, userAgent: '', now: start });
    expect(await sessions.find(idle, after(7 * dayMs))).toBeUndefined();
    expect(await sessions.list(userId, after(30 * dayMs))).toEqual([]);
    await sessions.sweep(after(30 * dayMs + 1));
    const { rows } = await database.pool.query('SELECT 1 FROM session WHERE user_id = $1', [userId]);
    expect(rows).toEqual([]);
  });

  it('does not begin with a password that has been changed meanwhile, or for a user who has gone', async () => {
    const { sessions, links } = stores();
    for (let round = 0; round < 20; round += 1) {
      const { userId, email } = await newUser();
      await links.askPasswordReset({ email, client, now: start });
      const linkId = await linkAskedFor(email, start);
      // In either order, no session of the old password remains.
      await Promise.all([
        links.usePasswordReset({ linkId, passwordHash: 'another hash', client, now: after(1) }),
        sessions.open({
          userId,
          token: generateSessionToken(),
          userAgent: '',
          now: after(1),
          passwordHash: 'a hash',
        }),
      ]);
      expect(await sessions.list(userId, after(2))).toEqual([]);
    }
    const gone = { userId: newId('user'), token: generateSessionToken(), userAgent: '', now: start };
    expect(await sessions.open(gone)).toBeUndefined();
  });

  it('notes its use once a minute at most', async () => {
    const { sessions } = stores();
    const { userId } = await newUser();
    const token = generateSessionToken();
    await sessions.open({ userId, token, userAgent: '', now: start });
    const seenAt = async (ms: number) => {
      await sessions.find(token, after(ms));
      return (await sessions.list(userId, after(ms)))[0]?.lastSeenAt;
    };
    expect(await seenAt(minuteMs)).toEqual(start);
    expect(await seenAt(minuteMs + 1)).toEqual(after(minuteMs + 1));
    expect(await seenAt(2 * minuteMs)).toEqual(after(minuteMs + 1));
  });

  it('is one of fifty at most; the one that was used longest ago ends', async () => {
    const { sessions } = stores();
    const { userId } = await newUser();
    const tokens = Array.from({ length: 51 }, generateSessionToken);
    for (const [number, token] of tokens.entries()) {
      await sessions.open({ userId, token, userAgent: '', now: after(number) });
    }
    expect(await sessions.list(userId, after(100))).toHaveLength(50);
    expect(await sessions.find(tokens[0] ?? generateSessionToken(), after(100))).toBeUndefined();
    expect(await sessions.find(tokens[1] ?? generateSessionToken(), after(100))).toBeDefined();
  });
});

/** The ids of mails that were queued for an address, oldest first. */
async function mailsTo(email: string) {
  const { rows } = await database.pool.query<{
    mail_id: Parameters<ReturnType<typeof createMailQueue>['take']>[0];
  }>('SELECT mail_id FROM mail WHERE lower(email) = lower($1) ORDER BY mail_id', [email]);
  return rows.map(row => row.mail_id);
}

async function linkAskedFor(email: string, sentAt: Date): Promise<OneTimeLinkId> {
  const { queue } = stores();
  const [mailId] = await mailsTo(email);
  const taken = mailId && (await queue.take(mailId, sentAt));
  if (!taken?.link) {
    throw new Error('No mail with a link was queued.');
  }
  return taken.link.linkId;
}

describe('a link', () => {
  it('works for an hour, counted from when its mail was sent', async () => {
    const { links } = stores();
    const { email } = await newUser();
    await links.askPasswordReset({ email, client, now: start });
    const sentAt = after(3 * hourMs);
    const linkId = await linkAskedFor(email, sentAt);
    const end = after(4 * hourMs);
    expect(await links.find(linkId, 'password_reset', new Date(end.getTime() - 1))).toEqual({ email });
    expect(await links.find(linkId, 'password_reset', end)).toBeUndefined();
    expect(await links.usePasswordReset({ linkId, passwordHash: 'new', client, now: end })).toBeUndefined();
    expect(await links.find(linkId, 'sign_up', sentAt)).toBeUndefined();
    expect(await links.usePasswordReset({ linkId, passwordHash: 'new', client, now: sentAt })).toMatchObject({
      email,
    });
  });

  it('is used by one of many who try at once', async () => {
    const { links, users } = stores();
    const { email } = await newUser();
    await links.askPasswordReset({ email, client, now: start });
    const linkId = await linkAskedFor(email, start);
    const uses = await Promise.all(
      Array.from({ length: 16 }, (_, number) =>
        links.usePasswordReset({ linkId, passwordHash: `hash ${number}`, client, now: after(1) }),
      ),
    );
    const winner = uses.findIndex(Boolean);
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect((await users.findByEmail(email))?.passwordHash).toBe(`hash ${winner}`);
  });

  it('goes to the address that the user has, however the request spells it', async () => {
    const { links, queue } = stores();
    const { email } = await newUser();
    await links.askPasswordReset({ email: email.toUpperCase(), client, now: start });
    const [mailId] = await mailsTo(email);
    const taken = mailId && (await queue.take(mailId, start));
    expect(taken).toMatchObject({ email });
    // Taken again, as after an outage of the mail host, it is the same link.
    expect(mailId && (await queue.take(mailId, start))).toEqual(taken);
  });

  it('is not made for an unregistered address, and the mail is deleted', async () => {
    const { links, queue } = stores();
    const email = `${newId('user').slice(-20)}@ordinary.example`;
    await links.askPasswordReset({ email, client, now: start });
    const [mailId] = await mailsTo(email);
    expect(mailId).toBeDefined();
    expect(mailId && (await queue.take(mailId, start))).toBeUndefined();
    expect(await mailsTo(email)).toEqual([]);
  });

  it('that signs up opens the first cycle of the free plan with the account', async () => {
    const { links } = stores();
    const email = `${newId('user').slice(-20)}@ordinary.example`;
    await links.askSignUp({ email, accountName: 'New Ltd', now: start });
    const linkId = await linkAskedFor(email, start);
    const user = await links.useSignUp({ linkId, passwordHash: 'a hash', client, now: after(hourMs) });
    const { rows } = await database.pool.query(
      `SELECT account.name, plan, cycle_starts_at, job_type, payload
       FROM account JOIN outbox ON payload->>'accountId' = account_id WHERE account_id = $1`,
      [user?.accountId],
    );
    expect(rows).toMatchObject([
      {
        name: 'New Ltd',
        plan: 'free',
        cycle_starts_at: after(hourMs),
        job_type: 'gateway.open-billing-cycle',
        payload: { credits: 100 },
      },
    ]);
  });

  it('and its mail are deleted once they are of no use', async () => {
    const { links, queue } = stores();
    const { email } = await newUser();
    await links.askPasswordReset({ email, client, now: start });
    const linkId = await linkAskedFor(email, start);
    const count = async () => {
      const { rows } = await database.pool.query('SELECT 1 FROM one_time_link WHERE link_id = $1', [linkId]);
      return rows.length + (await mailsTo(email)).length;
    };
    await queue.sweep(after(25 * hourMs));
    expect(await count()).toBe(2);
    await queue.sweep(after(2 * dayMs + 1));
    expect(await count()).toBe(0);
  });
});

describe('a plan that this release does not know', () => {
  it('rejects every key and session, and the error names the account', async () => {
    const accounts = createAccountStore(database.prisma);
    const { accountId, apiKey } = await accounts.create({ name: 'Test', plan: 'custom', credits: 0 });
    const { sessions, users } = stores();
    const email = `${newId('user').slice(-20)}@ordinary.example`;
    const userId = await users.create({ accountId, email, passwordHash: 'a hash', role: 'owner' });
    if (!userId || !apiKey) {
      throw new Error('The account has no user or no key.');
    }
    const token = generateSessionToken();
    await sessions.open({ userId, token, userAgent: '', now: start });
    for (const plan of ['gold', 'toString']) {
      await database.pool.query('UPDATE account SET plan = $2 WHERE account_id = $1', [accountId, plan]);
      const fault = `The account ${accountId} has the plan “${plan}”`;
      await expect(createKeyLookup(database.pool, () => undefined)(apiKey)).rejects.toThrow(fault);
      await expect(sessions.find(token, start)).rejects.toThrow(fault);
      await expect(createBillingStore(database, undefined).read(accountId)).rejects.toThrow(fault);
    }
  });
});

describe('security events', () => {
  it('are kept for their time and no longer', async () => {
    const { events } = stores();
    const { accountId, userId } = await newUser();
    for (const at of [start, after(dayMs)]) {
      await events.record({ accountId, userId, kind: 'sign_in', at, client });
    }
    await events.sweep(after(1));
    expect(await events.list(accountId, { limit: 10 })).toMatchObject([{ at: after(dayMs), client }]);
  });
});
