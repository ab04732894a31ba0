import { inTransaction } from '@mailproof/service-kit';
import {
  type AccountId,
  type InvitationId,
  plans,
  type Role,
  type SecurityEventKind,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { AccountDeleted, planOf } from '../../domain/accounts/account.ts';
import type { LinkRequest } from '../../domain/users/link-store.ts';
import type { Invitation, Member, MemberStore, OwnerAction } from '../../domain/users/member-store.ts';
import type { SecurityEvent } from '../../domain/users/security-event.ts';
import type { User } from '../../domain/users/user.ts';
import { UserFault } from '../../domain/users/user-fault.ts';
import { consumeLink, insertUser, refusingTaken } from './link-store.ts';
import { queueDisconnectUser } from './queue-disconnect-user.ts';
import { insertLink, queueMail } from './queue-mail.ts';
import { writeSecurityEvent } from './security-event-log.ts';

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

    invite: (wanted, act) => inTransaction(pool, client => invite(client, wanted, act)),

    withdraw: (invitationId, act) =>
      inTransaction(pool, async client => {
        await lockAccount(client, act.accountId);
        const { rowCount } = await client.query(
          `DELETE FROM one_time_link
           WHERE link_id = $2 AND account_id = $1 AND purpose = 'invitation' AND used_at IS NULL`,
          [act.accountId, invitationId],
        );
        if (rowCount === 1) {
          await writeAct(client, act, 'invitation_withdrawn', { invitation_id: invitationId });
        }
        return rowCount === 1;
      }),

    accept: request => refusingTaken(inTransaction(pool, client => accept(client, request))),

    changeRole: ({ userId, role }, act) =>
      inTransaction(pool, async client => {
        const { accountId } = act;
        await lockAccount(client, accountId);
        await refuseLastOwner(client, accountId, userId, role === 'owner');
        const { rows } = await client.query<MemberRow>(
          `UPDATE app_user SET role = $3 WHERE account_id = $1 AND user_id = $2 RETURNING ${memberColumns}`,
          [accountId, userId, role],
        );
        await writeAct(client, act, 'member_role_changed', { member_id: userId, role });
        return memberOf(known(rows[0]));
      }),

    remove: (userId, act) =>
      inTransaction(pool, async client => {
        const { accountId } = act;
        await lockAccount(client, accountId);
        await refuseLastOwner(client, accountId, userId, false);
        await client.query('DELETE FROM app_user WHERE account_id = $1 AND user_id = $2', [
          accountId,
          userId,
        ]);
        await writeAct(client, act, 'member_removed', { member_id: userId });
        await queueDisconnectUser(client, accountId, userId);
      }),
  };
}

async function invite(
  client: PoolClient,
  { email, role }: { readonly email: string; readonly role: Role },
  act: OwnerAction,
): Promise<Invitation> {
  const { accountId, now } = act;
  const membersMax = await lockAccount(client, accountId);
  const { rows } = await client.query<InvitationRow>(readInvitations, [accountId, now]);
  // A second invitation to the same address replaces the first.
  const replaced = rows.filter(row => row.email.toLowerCase() === email.toLowerCase());
  const invited = rows.length - replaced.length;
  if ((await countMembers(client, accountId)) + invited >= membersMax) {
    throw new UserFault('members_exhausted');
  }
  await client.query('DELETE FROM one_time_link WHERE link_id = ANY($1)', [replaced.map(row => row.link_id)]);
  const linkId = await insertLink(client, { purpose: 'invitation', email, accountId, role, now });
  await queueMail(client, { kind: 'invitation', email, linkId, now });
  await writeAct(client, act, 'member_invited', { invitation_id: linkId, role });
  const made = await client.query<InvitationRow>(readInvitations, [accountId, now]);
  return invitationOf(known(made.rows.find(row => row.link_id === linkId)));
}

async function accept(
  client: PoolClient,
  { linkId, passwordHash, client: from, now }: LinkRequest & { readonly passwordHash: string },
): Promise<User | undefined> {
  const { rows } = await client.query<{ account_id: AccountId }>(
    "SELECT account_id FROM one_time_link WHERE link_id = $1 AND purpose = 'invitation'",
    [linkId],
  );
  if (!rows[0]) {
    return undefined;
  }
  const accountId = rows[0].account_id;
  // Locks the account before the link, as an invitation does; another order could deadlock.
  const membersMax = await lockAccount(client, accountId);
  const link = await consumeLink(client, linkId, 'invitation', now);
  if (!link || link.role === null) {
    return undefined;
  }
  const { email, role } = link;
  // The plan may have been downgraded since the invitation.
  if ((await countMembers(client, accountId)) >= membersMax) {
    throw new UserFault('members_exhausted');
  }
  const user = await insertUser(client, { accountId, email, passwordHash, role, now });
  await writeAct(client, { accountId, userId: user.userId, client: from, now }, 'member_added', { role });
  return user;
}

async function writeAct(
  database: PoolClient,
  { accountId, userId, client, now }: OwnerAction,
  kind: SecurityEventKind,
  details: NonNullable<SecurityEvent['details']>,
): Promise<void> {
  await writeSecurityEvent(database, { accountId, userId, kind, at: now, client, details });
}

/** Locks the account's row until the transaction ends, and returns the most members that its plan allows. */
async function lockAccount(client: PoolClient, accountId: AccountId): Promise<number> {
  const { rows } = await client.query<{ plan: string }>(
    'SELECT plan FROM account WHERE account_id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  if (!rows[0]) {
    throw new AccountDeleted(accountId);
  }
  return plans[planOf(accountId, rows[0].plan)].membersMax;
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
