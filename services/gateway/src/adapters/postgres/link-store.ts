import { type AccountId, newId, type Role, type UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { startPlan } from '../../domain/billing/billing.ts';
import type { LinkStore } from '../../domain/users/link-store.ts';
import type { LinkPurpose, OneTimeLinkId } from '../../domain/users/one-time-link.ts';
import type { User } from '../../domain/users/user.ts';
import { UserFault } from '../../domain/users/user-fault.ts';
import { billingColumns, openCycleRow } from './billing-row.ts';
import { insertLink, queueMail } from './queue-mail.ts';
import { inTransaction, isDuplicate } from './transaction.ts';

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

    askSignUp: ({ email, accountName, passwordHash, now }) =>
      inTransaction(pool, async client => {
        const linkId = await insertLink(client, {
          purpose: 'sign_up',
          email,
          accountName,
          passwordHash,
          now,
        });
        await queueMail(client, { kind: 'sign_up', email, linkId, now });
      }),

    // Whether there is a link to make is found out when the mail is sent, so that nobody can tell by the time it takes.
    askPasswordReset: (email, now) =>
      inTransaction(pool, async client => {
        await queueMail(client, { kind: 'password_reset', email, now });
        const { rows } = await client.query<UserRow>(
          `SELECT ${userColumns} FROM app_user WHERE lower(email) = lower($1)`,
          [email],
        );
        return rows[0] && { accountId: rows[0].account_id, userId: rows[0].user_id };
      }),

    askEmailChange: ({ userId, sessionId, email: oldEmail }, email, now) =>
      inTransaction(pool, async client => {
        await client.query("DELETE FROM one_time_link WHERE user_id = $1 AND purpose = 'email_change'", [
          userId,
        ]);
        const linkId = await insertLink(client, { purpose: 'email_change', email, userId, sessionId, now });
        await queueMail(client, { kind: 'email_change', email, linkId, now });
        await queueMail(client, { kind: 'email_change_notice', email: oldEmail, now });
      }),

    useSignUp: (linkId, now) => refusingTaken(inTransaction(pool, client => useSignUp(client, linkId, now))),

    usePasswordReset: (linkId, passwordHash, now) =>
      inTransaction(pool, async client => {
        const link = await useUp(client, linkId, 'password_reset', now);
        const userId = link?.user_id ?? undefined;
        return userId && setPassword(client, userId, passwordHash, undefined, now);
      }),

    useEmailChange: (linkId, now) =>
      refusingTaken(inTransaction(pool, client => useEmailChange(client, linkId, now))),

    changePassword: ({ userId, sessionId }, passwordHash, now) =>
      inTransaction(pool, async client => {
        await setPassword(client, userId, passwordHash, sessionId, now);
      }),
  };
}

/** A row of a link that has just been used up. */
export interface UsedLink {
  readonly email: string;
  readonly user_id: UserId | null;
  readonly session_id: string | null;
  readonly account_id: AccountId | null;
  readonly role: Role | null;
  readonly account_name: string | null;
  readonly password_hash: string | null;
}

/** Uses a link up. Of several who try at once, one gets it: the others wait for the row, and find it used. */
export async function useUp(
  client: PoolClient,
  linkId: OneTimeLinkId,
  purpose: LinkPurpose,
  now: Date,
): Promise<UsedLink | undefined> {
  const { rows } = await client.query<UsedLink>(
    `UPDATE one_time_link SET used_at = $3
     WHERE link_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
     RETURNING email, user_id, session_id, account_id, role, account_name, password_hash`,
    [linkId, purpose, now],
  );
  return rows[0];
}

/** Makes a user within a transaction. The unique index refuses an address that is somebody's already. */
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

/** The index decides who has an address, also when two claim it at once. */
export async function refusingTaken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw isDuplicate(error) ? new UserFault('email_taken') : error;
  }
}

async function useSignUp(client: PoolClient, linkId: OneTimeLinkId, now: Date): Promise<User | undefined> {
  const link = await useUp(client, linkId, 'sign_up', now);
  if (!link || link.account_name === null || link.password_hash === null) {
    return undefined;
  }
  const accountId = newId('account', now.getTime());
  await insertFreeAccount(client, { accountId, name: link.account_name, now });
  const passwordHash = link.password_hash;
  return insertUser(client, { accountId, email: link.email, passwordHash, role: 'owner', now });
}

/** Makes an account on the free plan within a transaction, and opens its first cycle. */
async function insertFreeAccount(
  client: PoolClient,
  { accountId, name, now }: { accountId: AccountId; name: string; now: Date },
): Promise<void> {
  const { billing, opens } = startPlan('free', now);
  const columns = billingColumns(billing, { now, graceDays: 0 });
  await client.query(
    `INSERT INTO account (account_id, name, plan, created_at, billing_anchor, cycle_starts_at, cycle_ends_at,
       billing_due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      accountId,
      name,
      columns.plan,
      now,
      columns.billingAnchor,
      columns.cycleStartsAt,
      columns.cycleEndsAt,
      columns.billingDueAt,
    ],
  );
  if (opens) {
    const { jobType, payload } = openCycleRow(accountId, billing.plan, opens);
    await client.query('INSERT INTO outbox (job_type, payload) VALUES ($1, $2)', [jobType, payload]);
  }
}

async function useEmailChange(
  client: PoolClient,
  linkId: OneTimeLinkId,
  now: Date,
): Promise<User | undefined> {
  const link = await useUp(client, linkId, 'email_change', now);
  if (!link) {
    return undefined;
  }
  const { rows } = await client.query<UserRow>(
    `UPDATE app_user SET email = $2 WHERE user_id = $1 RETURNING ${userColumns}`,
    [link.user_id, link.email],
  );
  await endOthers(client, link.user_id, link.session_id);
  return rows[0] && userOf(rows[0]);
}

async function setPassword(
  client: PoolClient,
  userId: UserId,
  passwordHash: string,
  keptSession: string | undefined,
  now: Date,
): Promise<User | undefined> {
  const { rows } = await client.query<UserRow>(
    `UPDATE app_user SET password_hash = $2 WHERE user_id = $1 RETURNING ${userColumns}`,
    [userId, passwordHash],
  );
  const [row] = rows;
  if (!row) {
    return undefined;
  }
  await endOthers(client, userId, keptSession ?? null);
  await queueMail(client, { kind: 'password_changed_notice', email: row.email, now });
  return userOf(row);
}

/** After a change of password or address no other session and no link of before is worth anything. */
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
