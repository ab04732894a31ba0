import { inTransaction } from '@mailproof/service-kit';
import { newId, type UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { Client } from '../../domain/accounts/signed-in.ts';
import type { OptOutLinks } from '../../domain/opt-outs/opt-out.ts';
import type { LinkRequest, LinkStore } from '../../domain/users/link-store.ts';
import type { LinkPurpose, OneTimeLinkId } from '../../domain/users/one-time-link.ts';
import type { User } from '../../domain/users/user.ts';
import { UserFault } from '../../domain/users/user-fault.ts';
import { sql as access } from './access.sql.ts';
import { insertFreeAccount } from './account-store.ts';
import { queueDisconnectUser } from './assistant-store.ts';
import { sql } from './links.sql.ts';
import { insertLink, queueMail } from './mail-queue.ts';
import { writeSecurityEvent } from './security-event-log.ts';
import { holdUser, insertUser, userOf } from './user-store.ts';
import { sql as users } from './users.sql.ts';
import { isDuplicate } from './write-faults.ts';

export function createLinkStore(pool: Pool): LinkStore {
  return {
    async find(linkId, purpose, now) {
      const { rows } = await sql.find_open_link(pool, { link_id: linkId, purpose, now });
      const email = rows[0]?.email ?? undefined;
      return email === undefined ? undefined : { email };
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
        await users.write_password_reset_asked(client, { email, at: now, network, user_agent: userAgent });
      }),

    askEmailChange: ({ signedIn, currentHash, email, client: from, now }) =>
      inTransaction(pool, async client => {
        const { userId, sessionId, email: oldEmail, account } = signedIn;
        if (!(await holdPassword(client, userId, currentHash))) {
          return false;
        }
        await sql.void_email_changes(client, { user_id: userId });
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
        return link && setPassword(client, { userId: link.userId, passwordHash, by: 'link', from, now });
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

/** Uses up a link that belongs to a user, after locking the user's row. */
async function useUpOfUser(client: PoolClient, linkId: OneTimeLinkId, purpose: LinkPurpose, now: Date) {
  const owner = await sql.find_owner_of_link(client, { link_id: linkId, purpose });
  const userId = owner.rows[0]?.user_id as UserId | null | undefined;
  if (!userId || (await holdUser(client, userId)) === undefined) {
    return undefined;
  }
  const { rows } = await sql.use_link(client, { link_id: linkId, purpose, now });
  return rows[0] && { ...rows[0], userId };
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
  const { rows } = await sql.use_link(client, { link_id: linkId, purpose: 'sign_up', now });
  const { email, account_name: name } = rows[0] ?? {};
  if (!email || !name) {
    return undefined;
  }
  const accountId = newId('account', now.getTime());
  await insertFreeAccount(client, { accountId, name, now });
  const user = await insertUser(client, { accountId, email, passwordHash, role: 'owner', now });
  const event = { accountId, userId: user.userId, kind: 'account_created', at: now, client: from } as const;
  await writeSecurityEvent(client, event);
  return user;
}

async function useEmailChange(
  client: PoolClient,
  { linkId, client: from, now }: LinkRequest,
): Promise<User | undefined> {
  const link = await useUpOfUser(client, linkId, 'email_change', now);
  if (!link?.email) {
    return undefined;
  }
  const { rows } = await users.set_email(client, { user_id: link.userId, email: link.email });
  await endOthers(client, link.userId, link.session_id);
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
  readonly keptSession?: string;
  readonly from: Client;
  readonly now: Date;
}

async function setPassword(
  client: PoolClient,
  { userId, passwordHash, by, keptSession, from, now }: PasswordChange,
): Promise<User | undefined> {
  const { rows } = await users.set_password(client, { user_id: userId, password_hash: passwordHash });
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
  userId: UserId,
  keptSession: string | null | undefined,
): Promise<void> {
  await access.end_sessions(client, { user_id: userId, kept_session_id: keptSession });
  await sql.void_links(client, { user_id: userId });
}

export function createOptOutLinks(pool: Pool): OptOutLinks {
  return {
    ask: ({ email, profileUrl, now }) =>
      inTransaction(pool, async client => {
        const linkId = await insertLink(client, { purpose: 'opt_out', profileUrl, now });
        await queueMail(client, { kind: 'opt_out', email, linkId, now });
      }),

    async find(linkId, now) {
      const { rows } = await sql.find_open_link(pool, { link_id: linkId, purpose: 'opt_out', now });
      const profileUrl = rows[0]?.profile_url ?? undefined;
      return profileUrl === undefined ? undefined : { profileUrl };
    },

    async drop(linkId) {
      await sql.delete_opt_out(pool, { link_id: linkId });
    },
  };
}
