import { inTransaction } from '@mailproof/service-kit';
import { type AccountId, newId, type Role, type UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { Client } from '../../domain/accounts/signed-in.ts';
import type { LinkRequest, LinkStore } from '../../domain/users/link-store.ts';
import type { LinkPurpose, OneTimeLinkId } from '../../domain/users/one-time-link.ts';
import type { User } from '../../domain/users/user.ts';
import { UserFault } from '../../domain/users/user-fault.ts';
import { holdUser } from './hold-user.ts';
import { insertFreeAccount } from './insert-free-account.ts';
import { queueDisconnectUser } from './queue-disconnect-user.ts';
import { insertLink, queueMail } from './queue-mail.ts';
import { writeSecurityEvent } from './security-event-log.ts';
import { isDuplicate } from './write-faults.ts';

interface UserRow {
  readonly user_id: UserId;
  readonly account_id: AccountId;
  readonly email: string;
  readonly role: Role;
}

const userColumns = 'user_id, account_id, email, role';

export function createLinkStore(pool: Pool): LinkStore {
  return {
    async find(linkId, purpose, now) {
      const { rows } = await pool.query<{ email: string }>(
        `SELECT email FROM one_time_link
         WHERE link_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3`,
        [linkId, purpose, now],
      );
      return rows[0];
    },

    askSignUp: ({ email, accountName, now }) =>
      inTransaction(pool, async client => {
        const linkId = await insertLink(client, { purpose: 'sign_up', email, accountName, now });
        await queueMail(client, { kind: 'sign_up', email, linkId, now });
      }),

    // Whether a link is needed is decided when the mail is sent.
    askPasswordReset: ({ email, client: { network, userAgent }, now }) =>
      inTransaction(pool, async client => {
        await queueMail(client, { kind: 'password_reset', email, now });
        await client.query(
          `INSERT INTO security_event (account_id, user_id, kind, at, client_network, user_agent)
           SELECT account_id, user_id, 'password_reset_asked', $2, $3, $4 FROM app_user WHERE lower(email) = lower($1)`,
          [email, now, network, userAgent],
        );
      }),

    askEmailChange: ({ signedIn, currentHash, email, client: from, now }) =>
      inTransaction(pool, async client => {
        const { userId, sessionId, email: oldEmail, account } = signedIn;
        if (!(await holdPassword(client, userId, currentHash))) {
          return false;
        }
        await client.query("DELETE FROM one_time_link WHERE user_id = $1 AND purpose = 'email_change'", [
          userId,
        ]);
        const linkId = await insertLink(client, { purpose: 'email_change', email, userId, sessionId, now });
        await queueMail(client, { kind: 'email_change', email, linkId, now });
        await queueMail(client, { kind: 'email_change_notice', email: oldEmail, now });
        const { accountId } = account;
        const event = { accountId, userId, kind: 'email_change_asked', at: now, client: from } as const;
        await writeSecurityEvent(client, event);
        return true;
      }),

    useSignUp: request => refusingTaken(inTransaction(pool, client => useSignUp(client, request))),

    usePasswordReset: ({ linkId, passwordHash, client: from, now }) =>
      inTransaction(pool, async client => {
        const link = await useUpOfUser(client, linkId, 'password_reset', now);
        const userId = link?.user_id ?? undefined;
        return (
          userId && setPassword(client, { userId, passwordHash, by: 'link', keptSession: null, from, now })
        );
      }),

    useEmailChange: request => refusingTaken(inTransaction(pool, client => useEmailChange(client, request))),

    changePassword: ({ signedIn: { userId, sessionId }, currentHash, passwordHash, client: from, now }) =>
      inTransaction(pool, async client => {
        if (!(await holdPassword(client, userId, currentHash))) {
          return false;
        }
        const change = { userId, passwordHash, by: 'password', keptSession: sessionId, from, now } as const;
        await setPassword(client, change);
        return true;
      }),
  };
}

/** The row of a link that has just been used up. */
export interface UsedLink {
  readonly email: string;
  readonly user_id: UserId | null;
  readonly session_id: string | null;
  readonly account_id: AccountId | null;
  readonly role: Role | null;
  readonly account_name: string | null;
}

/** Uses up a link. Of several concurrent attempts, one succeeds: the others wait for the row lock, and find it used. */
export async function consumeLink(
  client: PoolClient,
  linkId: OneTimeLinkId,
  purpose: LinkPurpose,
  now: Date,
): Promise<UsedLink | undefined> {
  const { rows } = await client.query<UsedLink>(
    `UPDATE one_time_link SET used_at = $3
     WHERE link_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
     RETURNING email, user_id, session_id, account_id, role, account_name`,
    [linkId, purpose, now],
  );
  return rows[0];
}

/** Uses up a link that belongs to a user, after locking the user's row. */
async function useUpOfUser(
  client: PoolClient,
  linkId: OneTimeLinkId,
  purpose: LinkPurpose,
  now: Date,
): Promise<UsedLink | undefined> {
  const { rows } = await client.query<{ user_id: UserId | null }>(
    'SELECT user_id FROM one_time_link WHERE link_id = $1',
    [linkId],
  );
  const userId = rows[0]?.user_id ?? undefined;
  if (userId === undefined || (await holdUser(client, userId)) === undefined) {
    return undefined;
  }
  return consumeLink(client, linkId, purpose, now);
}

/** Creates a user within a transaction. The unique index refuses an address that is taken. */
export async function insertUser(
  client: PoolClient,
  user: { accountId: AccountId; email: string; passwordHash: string; role: Role; now: Date },
): Promise<User> {
  const userId = newId('user', user.now.getTime());
  await client.query(
    `INSERT INTO app_user (user_id, account_id, email, password_hash, role, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [userId, user.accountId, user.email, user.passwordHash, user.role, user.now],
  );
  return { userId, accountId: user.accountId, email: user.email, role: user.role };
}

/** The index decides who gets an address, even if two claim it at once. */
export async function refusingTaken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw isDuplicate(error) ? new UserFault('email_taken') : error;
  }
}

async function useSignUp(
  client: PoolClient,
  { linkId, passwordHash, client: from, now }: LinkRequest & { readonly passwordHash: string },
): Promise<User | undefined> {
  const link = await consumeLink(client, linkId, 'sign_up', now);
  if (!link || link.account_name === null) {
    return undefined;
  }
  const accountId = newId('account', now.getTime());
  await insertFreeAccount(client, { accountId, name: link.account_name, now });
  const user = await insertUser(client, { accountId, email: link.email, passwordHash, role: 'owner', now });
  const event = { accountId, userId: user.userId, kind: 'account_created', at: now, client: from } as const;
  await writeSecurityEvent(client, event);
  return user;
}

async function useEmailChange(
  client: PoolClient,
  { linkId, client: from, now }: LinkRequest,
): Promise<User | undefined> {
  const link = await useUpOfUser(client, linkId, 'email_change', now);
  if (!link) {
    return undefined;
  }
  const { rows } = await client.query<UserRow>(
    `UPDATE app_user SET email = $2 WHERE user_id = $1 RETURNING ${userColumns}`,
    [link.user_id, link.email],
  );
  await endOthers(client, link.user_id, link.session_id);
  const user = rows[0] && userOf(rows[0]);
  if (user) {
    const { accountId, userId } = user;
    await writeSecurityEvent(client, { accountId, userId, kind: 'email_changed', at: now, client: from });
  }
  return user;
}

/** Locks the user's row until the transaction ends; returns whether the password is still the given one. */
async function holdPassword(client: PoolClient, userId: UserId, currentHash: string): Promise<boolean> {
  return (await holdUser(client, userId))?.password_hash === currentHash;
}

interface PasswordChange {
  readonly userId: UserId;
  readonly passwordHash: string;
  /** What authorized the change. */
  readonly by: 'link' | 'password';
  readonly keptSession: string | null;
  readonly from: Client;
  readonly now: Date;
}

async function setPassword(
  client: PoolClient,
  { userId, passwordHash, by, keptSession, from, now }: PasswordChange,
): Promise<User | undefined> {
  const { rows } = await client.query<UserRow>(
    `UPDATE app_user SET password_hash = $2 WHERE user_id = $1 RETURNING ${userColumns}`,
    [userId, passwordHash],
  );
  const user = rows[0] && userOf(rows[0]);
  if (!user) {
    return undefined;
  }
  const { accountId, email } = user;
  await endOthers(client, userId, keptSession);
  await queueMail(client, { kind: 'password_changed_notice', email, now });
  const event = {
    accountId,
    userId,
    kind: 'password_changed',
    at: now,
    client: from,
    details: { by },
  } as const;
  await writeSecurityEvent(client, event);
  await queueDisconnectUser(client, accountId, userId);
  return user;
}

/** Invalidates all other sessions and all earlier links after a change of password or address. */
async function endOthers(
  client: PoolClient,
  userId: UserId | null,
  keptSession: string | null,
): Promise<void> {
  await client.query('DELETE FROM session WHERE user_id = $1 AND session_id IS DISTINCT FROM $2', [
    userId,
    keptSession,
  ]);
  await client.query('DELETE FROM one_time_link WHERE user_id = $1', [userId]);
}

function userOf(row: UserRow): User {
  return { userId: row.user_id, accountId: row.account_id, email: row.email, role: row.role };
}
