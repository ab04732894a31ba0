import {
  type AccountId,
  type InvitationId,
  type PlanName,
  plans,
  type Role,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { Invitation, Member, MemberStore } from '../../domain/users/member-store.ts';
import type { OneTimeLinkId } from '../../domain/users/one-time-link.ts';
import type { User } from '../../domain/users/user.ts';
import { UserFault } from '../../domain/users/user-fault.ts';
import { insertUser, refusingTaken, useUp } from './link-store.ts';
import { insertLink, queueMail } from './queue-mail.ts';
import { inTransaction } from './transaction.ts';

interface MemberRow {
  readonly user_id: UserId;
  readonly account_id: AccountId;
  readonly email: string;
  readonly role: Role;
  readonly created_at: Date;
}

interface InvitationRow {
  readonly link_id: InvitationId;
  readonly email: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const memberColumns = 'user_id, account_id, email, role, created_at';
const readMembers = `SELECT ${memberColumns} FROM app_user WHERE account_id = $1 ORDER BY created_at, user_id`;
const readInvitations = `
  SELECT link_id, email, role, created_at, expires_at FROM one_time_link
  WHERE account_id = $1 AND purpose = 'invitation' AND used_at IS NULL AND expires_at > $2
  ORDER BY created_at, link_id`;

export function createMemberStore(pool: Pool): MemberStore {
  return {
    async list(accountId, now) {
      const members = await pool.query<MemberRow>(readMembers, [accountId]);
      const invitations = await pool.query<InvitationRow>(readInvitations, [accountId, now]);
      return { members: members.rows.map(memberOf), invitations: invitations.rows.map(invitationOf) };
    },

    invite: (accountId, email, role, now) =>
      inTransaction(pool, async client => {
        const membersMax = await lockAccount(client, accountId);
        const { rows } = await client.query<InvitationRow>(readInvitations, [accountId, now]);
        // A second invitation to the same address takes the place of the first.
        const replaced = rows.filter(row => row.email.toLowerCase() === email.toLowerCase());
        const invited = rows.length - replaced.length;
        if ((await countMembers(client, accountId)) + invited >= membersMax) {
          throw new UserFault('members_exhausted');
        }
        await client.query('DELETE FROM one_time_link WHERE link_id = ANY($1)', [
          replaced.map(row => row.link_id),
        ]);
        const linkId = await insertLink(client, { purpose: 'invitation', email, accountId, role, now });
        await queueMail(client, { kind: 'invitation', email, linkId, now });
        const made = await client.query<InvitationRow>(readInvitations, [accountId, now]);
        return invitationOf(known(made.rows.find(row => row.link_id === linkId)));
      }),

    async withdraw(accountId, invitationId) {
      const { rows } = await pool.query<{ email: string }>(
        `DELETE FROM one_time_link
         WHERE link_id = $2 AND account_id = $1 AND purpose = 'invitation' AND used_at IS NULL
         RETURNING email`,
        [accountId, invitationId],
      );
      return rows[0];
    },

    accept: (linkId, passwordHash, now) =>
      refusingTaken(inTransaction(pool, client => accept(client, linkId, passwordHash, now))),

    changeRole: (accountId, userId, role) =>
      inTransaction(pool, async client => {
        await lockAccount(client, accountId);
        await refuseLastOwner(client, accountId, userId, role === 'owner');
        const { rows } = await client.query<MemberRow>(
          `UPDATE app_user SET role = $3 WHERE account_id = $1 AND user_id = $2 RETURNING ${memberColumns}`,
          [accountId, userId, role],
        );
        return memberOf(known(rows[0]));
      }),

    remove: (accountId, userId) =>
      inTransaction(pool, async client => {
        await lockAccount(client, accountId);
        await refuseLastOwner(client, accountId, userId, false);
        const { rows } = await client.query<MemberRow>(
          `DELETE FROM app_user WHERE account_id = $1 AND user_id = $2 RETURNING ${memberColumns}`,
          [accountId, userId],
        );
        return memberOf(known(rows[0]));
      }),
  };
}

async function accept(
  client: PoolClient,
  linkId: OneTimeLinkId,
  passwordHash: string,
  now: Date,
): Promise<User | undefined> {
  const { rows } = await client.query<{ account_id: AccountId }>(
    "SELECT account_id FROM one_time_link WHERE link_id = $1 AND purpose = 'invitation'",
    [linkId],
  );
  if (!rows[0]) {
    return undefined;
  }
  const accountId = rows[0].account_id;
  // The account ahead of the link, in the order in which an invitation takes them, or each could wait for the other.
  const membersMax = await lockAccount(client, accountId);
  const link = await useUp(client, linkId, 'invitation', now);
  if (!link || link.role === null) {
    return undefined;
  }
  const { email, role } = link;
  // The plan may have become a smaller one since the invitation.
  if ((await countMembers(client, accountId)) >= membersMax) {
    throw new UserFault('members_exhausted');
  }
  return insertUser(client, { accountId, email, passwordHash, role, now });
}

/** Takes the account's row, for as long as the transaction lasts, and answers how many members its plan allows. */
async function lockAccount(client: PoolClient, accountId: AccountId): Promise<number> {
  const { rows } = await client.query<{ plan: PlanName }>(
    'SELECT plan FROM account WHERE account_id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  return plans[known(rows[0]).plan].membersMax;
}

async function countMembers(client: PoolClient, accountId: AccountId): Promise<number> {
  const { rows } = await client.query<{ members: number }>(
    'SELECT count(*)::int AS members FROM app_user WHERE account_id = $1',
    [accountId],
  );
  return known(rows[0]).members;
}

async function refuseLastOwner(
  client: PoolClient,
  accountId: AccountId,
  userId: UserId,
  staysOwner: boolean,
): Promise<void> {
  const { rows } = await client.query<MemberRow>(readMembers, [accountId]);
  if (!rows.some(row => row.user_id === userId)) {
    throw new UserFault('member_not_found');
  }
  if (!staysOwner && !rows.some(row => row.role === 'owner' && row.user_id !== userId)) {
    throw new UserFault('last_owner');
  }
}

function memberOf(row: MemberRow): Member {
  return {
    userId: row.user_id,
    accountId: row.account_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
  };
}

function invitationOf(row: InvitationRow): Invitation {
  return {
    invitationId: row.link_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function known<Row>(row: Row | undefined): Row {
  if (row === undefined) {
    throw new Error('A row that was just written or locked is not there.');
  }
  return row;
}
