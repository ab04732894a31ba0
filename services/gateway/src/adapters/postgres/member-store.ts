import { inTransaction, onlyRow, type RowOf } from '@mailproof/service-kit';
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
import { sql as accounts } from './accounts.sql.ts';
import { queueDisconnectUser } from './assistant-store.ts';
import { refusingTaken } from './link-store.ts';
import { sql as links } from './links.sql.ts';
import { insertLink, queueMail } from './mail-queue.ts';
import { writeSecurityEvent } from './security-event-log.ts';
import { insertUser, userOf } from './user-store.ts';
import { sql } from './users.sql.ts';

export function createMemberStore(pool: Pool): MemberStore {
  return {
    async list(accountId, now) {
      const members = await sql.list_members(pool, { account_id: accountId });
      const invitations = await links.list_invitations(pool, { account_id: accountId, now });
      return { members: members.rows.map(memberOf), invitations: invitations.rows.map(invitationOf) };
    },

    invite: (wanted, act) => inTransaction(pool, client => invite(client, wanted, act)),

    withdraw: (invitationId, act) =>
      inTransaction(pool, async client => {
        await lockAccount(client, act.accountId);
        const { rowCount } = await links.withdraw_invitation(client, {
          account_id: act.accountId,
          invitation_id: invitationId,
        });
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
        const changed = sql.set_role(client, { account_id: accountId, user_id: userId, role });
        const member = memberOf(await onlyRow(changed));
        await writeAct(client, act, 'member_role_changed', { member_id: userId, role });
        return member;
      }),

    remove: (userId, act) =>
      inTransaction(pool, async client => {
        const { accountId } = act;
        await lockAccount(client, accountId);
        await refuseLastOwner(client, accountId, userId, false);
        await sql.remove_member(client, { account_id: accountId, user_id: userId });
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
  const { rows } = await links.list_invitations(client, { account_id: accountId, now });
  // A second invitation to the same address replaces the first.
  const replaced = rows.filter(row => row.email.toLowerCase() === email.toLowerCase());
  const invited = rows.length - replaced.length;
  if ((await countMembers(client, accountId)) + invited >= membersMax) {
    throw new UserFault('members_exhausted');
  }
  await links.delete_links(client, { link_ids: replaced.map(row => row.link_id) });
  const linkId = await insertLink(client, { purpose: 'invitation', email, accountId, role, now });
  await queueMail(client, { kind: 'invitation', email, linkId, now });
  await writeAct(client, act, 'member_invited', { invitation_id: linkId, role });
  const made = await links.list_invitations(client, { account_id: accountId, now });
  return invitationOf(known(made.rows.find(row => row.link_id === linkId)));
}

async function accept(
  client: PoolClient,
  { linkId, passwordHash, client: from, now }: LinkRequest & { readonly passwordHash: string },
): Promise<User | undefined> {
  const invitation = { link_id: linkId, purpose: 'invitation' };
  const owner = await links.find_owner_of_link(client, invitation);
  const accountId = owner.rows[0]?.account_id as AccountId | null | undefined;
  if (!accountId) {
    return undefined;
  }
  // Locks the account before the link, as an invitation does; another order could deadlock.
  const membersMax = await lockAccount(client, accountId);
  const { rows } = await links.use_link(client, { ...invitation, now });
  const { email, role } = rows[0] ?? {};
  if (!email || !role) {
    return undefined;
  }
  // The plan may have been downgraded since the invitation.
  if ((await countMembers(client, accountId)) >= membersMax) {
    throw new UserFault('members_exhausted');
  }
  const user = await insertUser(client, { accountId, email, passwordHash, role: role as Role, now });
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
  const { rows } = await accounts.lock_members(client, { account_id: accountId });
  if (!rows[0]) {
    throw new AccountDeleted(accountId);
  }
  return plans[planOf(accountId, rows[0].plan)].membersMax;
}

async function countMembers(client: PoolClient, accountId: AccountId): Promise<number> {
  return (await onlyRow(sql.count_members(client, { account_id: accountId }))).members;
}

async function refuseLastOwner(
  client: PoolClient,
  accountId: AccountId,
  userId: UserId,
  staysOwner: boolean,
): Promise<void> {
  const { rows } = await sql.list_members(client, { account_id: accountId });
  if (!rows.some(row => row.user_id === userId)) {
    throw new UserFault('member_not_found');
  }
  if (!staysOwner && !rows.some(row => row.role === 'owner' && row.user_id !== userId)) {
    throw new UserFault('last_owner');
  }
}

function memberOf(row: RowOf<typeof sql.list_members>): Member {
  return { ...userOf(row), createdAt: row.created_at };
}

function invitationOf(row: RowOf<typeof links.list_invitations>): Invitation {
  return {
    invitationId: row.link_id as InvitationId,
    email: row.email,
    role: row.role as Role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function known<Row>(row: Row | undefined): Row {
  if (row === undefined) {
    throw new Error('A row that was just written or locked does not exist.');
  }
  return row;
}
