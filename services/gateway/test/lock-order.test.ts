import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { createAccountStore } from '../src/adapters/postgres/account-store.ts';
import { createDeletionStore } from '../src/adapters/postgres/deletion-store.ts';
import { createLinkStore } from '../src/adapters/postgres/link-store.ts';
import { createMailQueue } from '../src/adapters/postgres/mail-queue.ts';
import { createMemberStore } from '../src/adapters/postgres/member-store.ts';
import { createNamedKeyStore } from '../src/adapters/postgres/named-key-store.ts';
import { createSecurityEventLog } from '../src/adapters/postgres/security-event-log.ts';
import { createSessionStore } from '../src/adapters/postgres/session-store.ts';
import { createUserStore } from '../src/adapters/postgres/user-store.ts';
import { isDeletedAccountFault } from '../src/adapters/postgres/write-faults.ts';
import { generateSessionToken } from '../src/domain/users/session.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

const start = new Date('2026-03-01T12:00:00Z');
const now = new Date(start.getTime() + 1);
const client = { network: '192.0.2.1', userAgent: 'Test/1' };
const rounds = 20;

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase(10);
});

afterAll(() => database?.close());

/** A signed-in user who has requested links for a new password and a new address. */
async function somebody() {
  const { pool, prisma } = database;
  const links = createLinkStore(pool);
  const sessions = createSessionStore(pool, { idleMs: 1_000_000, absoluteMs: 1_000_000 });
  const made = await createAccountStore(prisma).create({ name: 'Test', plan: 'custom', credits: 0 });
  const { accountId } = made;
  const email = `${newId('user').slice(-20)}@ordinary.example`;
  const user = { accountId, email, passwordHash: 'a hash', role: 'owner' } as const;
  const userId = await createUserStore(pool).create(user);
  const token = generateSessionToken();
  await sessions.open({ userId: userId ?? newId('user'), token, userAgent: '', now: start });
  const signedIn = await sessions.find(token, start);
  if (!signedIn || !made.apiKeyId) {
    throw new Error('Authentication required.');
  }
  const proven = { signedIn, currentHash: 'a hash', client, now };
  const newEmail = `${newId('user').slice(-20)}@ordinary.example`;
  await links.askPasswordReset({ email, client, now: start });
  await links.askEmailChange({ ...proven, email: newEmail });
  const linkTo = async (address: string) => {
    const { rows } = await pool.query('SELECT mail_id FROM mail WHERE email = $1 ORDER BY mail_id', [
      address,
    ]);
    const taken = await createMailQueue(pool).take(rows[0].mail_id, start);
    if (!taken?.link) {
      throw new Error('No mail with a link was queued.');
    }
    return taken.link.linkId;
  };
  const act = { accountId, userId: signedIn.userId, client, now };
  const members = createMemberStore(pool);
  const { invitationId } = await members.invite({ email: `x${newEmail}`, role: 'member' }, act);
  const namedKeys = createNamedKeyStore(prisma);
  const terms = { name: 'Test', mode: 'live', scopes: ['leads'], expiresAt: undefined } as const;
  const named = await namedKeys.create(terms, act);
  if (named === 'exhausted') {
    throw new Error('The account has too many keys.');
  }
  const [reset, change] = [await linkTo(email), await linkTo(newEmail)];
  return {
    accountId,
    resetPassword: () => links.usePasswordReset({ linkId: reset, passwordHash: 'by link', client, now }),
    changePassword: () => links.changePassword({ ...proven, passwordHash: 'by password' }),
    changeEmail: () => links.useEmailChange({ linkId: change, client, now }),
    withdraw: () => members.withdraw(invitationId, act),
    revokeKey: () => createAccountStore(prisma).revokeKey(made.apiKeyId ?? newId('apiKey')),
    createNamedKey: () => namedKeys.create(terms, act),
    revokeNamedKey: () => namedKeys.revoke(named.key.apiKeyId, act),
    delete: () => createDeletionStore(pool).delete(accountId, 'Test', now),
  };
}

/** The outcome of work whose account may be gone. */
async function outcomeOf(work: Promise<unknown>): Promise<'done' | 'nothing' | 'gone'> {
  try {
    return (await work) ? 'done' : 'nothing';
  } catch (error) {
    if (isDeletedAccountFault(error)) {
      return 'gone';
    }
    throw error;
  }
}

describe('what is done to one user at the same time', () => {
  it('comes one after the other: the first takes the password and the links of the others away', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { accountId, ...user } = await somebody();
      const done = await Promise.all(
        [user.resetPassword(), user.changePassword(), user.changeEmail()].map(outcomeOf),
      );
      // A change of the address leaves the password unchanged, so the password can be changed afterward.
      expect(['done,nothing,nothing', 'nothing,done,nothing', 'nothing,done,done']).toContain(done.join());
      const events = await createSecurityEventLog(database.pool).list(accountId, { limit: 10 });
      const kinds = events.map(({ kind, details }) => [kind, details?.['by']].join(' ').trim());
      expect(kinds.includes('password_changed link')).toBe(done[0] === 'done');
      expect(kinds.includes('password_changed password')).toBe(done[1] === 'done');
      expect(kinds.includes('email_changed')).toBe(done[2] === 'done');
    }
  });

  it('ends with the account, in either order', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const user = await somebody();
      const works: (() => Promise<unknown>)[] = [
        user.resetPassword,
        user.changePassword,
        user.changeEmail,
        user.withdraw,
        user.revokeKey,
        user.createNamedKey,
        user.revokeNamedKey,
      ];
      // Puts the deletion in a different position each round.
      works.splice(round % (works.length + 1), 0, user.delete);
      await Promise.all(works.map(work => outcomeOf(work())));
      const { rows } = await database.pool.query(
        'SELECT (SELECT count(*) FROM account WHERE account_id = $1)::int AS accounts, count(*)::int AS events FROM security_event WHERE account_id = $1',
        [user.accountId],
      );
      expect(rows).toEqual([{ accounts: 0, events: 0 }]);
    }
  });
});
