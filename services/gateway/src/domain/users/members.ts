import { type InvitationId, plans, type Role, type UserId } from '@mailproof/shared-types';
import {
  type AccessPorts,
  countAccountMail,
  hashForLink,
  type LinkPassword,
  orNotValid,
  requireMail,
  type SignedInRequest,
} from './account-access.ts';
import type { Invitation, Member, MemberStore, OwnerAction } from './member-store.ts';
import { beginSession, type NewSession, type Visitor } from './sign-in.ts';
import { UserFault } from './user-fault.ts';

export interface MemberPorts extends AccessPorts {
  readonly members: MemberStore;
}

/** Lists the account's members and invitations, and the most members it may have. */
export async function listMembers(
  { members, now }: MemberPorts,
  { signedIn: { account } }: SignedInRequest,
): Promise<{ members: Member[]; invitations: Invitation[]; membersMax: number }> {
  const listed = await members.list(account.accountId, now());
  return { ...listed, membersMax: plans[account.plan].membersMax };
}

/** @throws UserFault `mail_not_configured`, `members_exhausted`, `too_many_requests` */
export async function inviteMember(
  ports: MemberPorts,
  wanted: { readonly email: string; readonly role: Role },
  request: SignedInRequest,
): Promise<Invitation> {
  requireMail(ports);
  await countAccountMail(ports, request);
  return ports.members.invite(wanted, actOf(ports, request));
}

/** @throws UserFault `invitation_not_found` */
export async function withdrawInvitation(
  ports: MemberPorts,
  invitationId: InvitationId,
  request: SignedInRequest,
): Promise<void> {
  if (!(await ports.members.withdraw(invitationId, actOf(ports, request)))) {
    throw new UserFault('invitation_not_found');
  }
}

/**
 * Makes the mail's recipient a member, and signs in.
 *
 * @throws UserFault `link_not_valid`, `email_taken`, `members_exhausted`
 * @throws PasswordFault
 */
export async function acceptInvitation(
  ports: MemberPorts,
  acceptance: LinkPassword,
  visitor: Visitor,
): Promise<NewSession> {
  const { linkId, passwordHash } = await hashForLink(ports, 'invitation', acceptance);
  const { client } = visitor;
  const user = await ports.members.accept({ linkId, passwordHash, client, now: ports.now() });
  return beginSession(ports, orNotValid(user), visitor);
}

/** @throws UserFault `member_not_found`, `last_owner` */
export async function changeMemberRole(
  ports: MemberPorts,
  change: { readonly userId: UserId; readonly role: Role },
  request: SignedInRequest,
): Promise<Member> {
  return ports.members.changeRole(change, actOf(ports, request));
}

/** @throws UserFault `member_not_found`, `last_owner` */
export async function removeMember(
  ports: MemberPorts,
  userId: UserId,
  request: SignedInRequest,
): Promise<void> {
  await ports.members.remove(userId, actOf(ports, request));
}

function actOf({ now }: MemberPorts, { signedIn, client }: SignedInRequest): OwnerAction {
  return { accountId: signedIn.account.accountId, userId: signedIn.userId, client, now: now() };
}
