import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { disconnectUserAssistantsJob, limits, newId } from '@mailproof/shared-types';
import { createAccountStore } from '../src/adapters/postgres/account-store.ts';
import { createAssistantSignIns } from '../src/adapters/postgres/assistant-store.ts';
import { createDeletionStore } from '../src/adapters/postgres/deletion-store.ts';
import { createLinkStore } from '../src/adapters/postgres/link-store.ts';
import { createSecurityEventLog } from '../src/adapters/postgres/security-event-log.ts';
import { createSessionStore } from '../src/adapters/postgres/session-store.ts';
import { createUserStore } from '../src/adapters/postgres/user-store.ts';
import { connectAssistant } from '../src/domain/assistants/sign-in-for-assistant.ts';
import { generateSessionToken } from '../src/domain/users/session.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

const start = new Date('2026-03-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const client = { network: '192.0.2.1', userAgent: 'Test/1' };
const rounds = 20;

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database?.close());

/** A user with a session in the application, and their actions. */
async function somebody() {
  const { pool, prisma } = database;
  const signIns = createAssistantSignIns(pool);
  const sessions = createSessionStore(pool, { idleMs: 1_000_000, absoluteMs: 1_000_000 });
  const { accountId } = await createAccountStore(prisma).create({ name: 'Test', plan: 'custom', credits: 0 });
  const email = `${newId('user').slice(-20)}@ordinary.example`;
  const row = { accountId, email, passwordHash: 'a hash', role: 'owner' } as const;
  const userId = (await createUserStore(pool).create(row)) ?? newId('user');
  const token = generateSessionToken();
  await sessions.open({ userId, token, userAgent: '', now: start });
  const signedIn = await sessions.find(token, start);
  if (!signedIn) {
    throw new Error('Authentication required.');
  }
  const user = { accountId, userId, email, role: 'owner' } as const;
  return {
    accountId,
    userId,
    signIn: (passwordHash = 'a hash') => signIns.begin({ user, passwordHash, client, now: start }),
    connect: (signInId: string, now = start) =>
      connectAssistant(
        { signIns, now: () => now },
        { accountId, userId, assistantId: newId('assistant'), signInId, client },
      ),
    changePassword: () =>
      createLinkStore(pool).changePassword({
        signedIn,
        currentHash: 'a hash',
        passwordHash: 'another hash',
        client,
        now: start,
      }),
    signOutEverywhere: () => sessions.endAll(signedIn, client, start),
    deleteAccount: () => createDeletionStore(pool).delete(accountId, 'Test', start),
  };
}

/** The times up to which the user's assistants are ended, and when the tool server is asked to do so. */
async function endingsOf(userId: string) {
  const { rows } = await database.pool.query(
    `SELECT payload, extract(epoch FROM due_at - created_at)::int AS seconds
     FROM outbox WHERE job_type = $1 AND payload ->> 'userId' = $2 ORDER BY due_at`,
    [disconnectUserAssistantsJob.name, userId],
  );
  return rows.map(({ payload, seconds }) => ({
    ...disconnectUserAssistantsJob.payload.parse(payload),
    seconds: seconds as number,
  }));
}

describe('a sign-in at the tool server', () => {
  it('is good for connecting for an hour', async () => {
    const { signIn, connect } = await somebody();
    const { signInId = '' } = (await signIn()) ?? {};
    expect(await connect(signInId, after(limits.assistantSignInMsMax - 1))).toBeInstanceOf(Date);
    expect(await connect(signInId, after(limits.assistantSignInMsMax))).toBeUndefined();
  });

  it('does not come about with a password that has been changed meanwhile', async () => {
    const { accountId, signIn, changePassword } = await somebody();
    await changePassword();
    expect(await signIn()).toBeUndefined();
    expect(await signIn('another hash')).toMatchObject({ accountName: 'Test' });
    const events = await createSecurityEventLog(database.pool).list(accountId, { limit: 10 });
    expect(events.map(({ kind }) => kind)).toEqual(['assistant_sign_in', 'password_changed']);
  });

  it('is no event of another kind', async () => {
    const { accountId, connect, signIn, signOutEverywhere } = await somebody();
    await signOutEverywhere();
    const [event] = await createSecurityEventLog(database.pool).list(accountId, { limit: 1 });
    expect(event?.kind).toBe('signed_out_everywhere');
    expect(await connect(String(event?.securityEventId))).toBeUndefined();
    const { signInId = '' } = (await signIn()) ?? {};
    expect(await connect(signInId)).toBeInstanceOf(Date);
  });
});

describe('what ends a user’s assistants', () => {
  it('calls the tool server immediately and again later, with only ids and a time', async () => {
    const { accountId, userId, signOutEverywhere } = await somebody();
    await signOutEverywhere();
    const until = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await endingsOf(userId)).toEqual([
      { accountId, userId, until, seconds: 0 },
      { accountId, userId, until, seconds: 300 },
    ]);
  });

  it.each(['changePassword', 'signOutEverywhere'] as const)(
    'leaves nothing connected that was started before (%s)',
    async ending => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await somebody();
        const { signInId = '' } = (await person.signIn()) ?? {};
        const connecting = person.connect(signInId);
        if (round === 0) {
          expect(await connecting).toBeInstanceOf(Date);
        }
        const [connectedAt] = await Promise.all([connecting, person[ending]()]);
        const [{ until } = { until: '' }] = await endingsOf(person.userId);
        // In either order, the connection is refused or is among those that the tool server is asked to end.
        if (connectedAt) {
          expect(connectedAt.getTime()).toBeLessThanOrEqual(Date.parse(until));
        }
        expect(await person.connect(signInId)).toBeUndefined();
      }
    },
  );

  it('does not block the deletion of the account at the same time', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await somebody();
      const { signInId = '' } = (await person.signIn()) ?? {};
      const works: (() => Promise<unknown>)[] = [
        person.signIn,
        () => person.connect(signInId),
        () => person.signOutEverywhere().catch((error: Error) => expect(error.name).toBe('AccountDeleted')),
        person.changePassword,
      ];
      works.splice(round % (works.length + 1), 0, person.deleteAccount);
      await Promise.all(works.map(work => work()));
      const { rows } = await database.pool.query(
        'SELECT count(*)::int AS events FROM security_event WHERE account_id = $1',
        [person.accountId],
      );
      expect(rows).toEqual([{ events: 0 }]);
    }
  });
});
