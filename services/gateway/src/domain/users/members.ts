import {
  type InvitationId,
  plans,
  type Role,
  type SecurityEventKind,
  type UserId,
} from '@mailproof/shared-types';
import {
  type AccessPorts,
  countAccountMail,
  linkOf,
  requireMail,
  type SignedInRequest,
} from './account-access.ts';
import type { Invitation, Member, MemberStore } from './member-store.ts';
import { refuseWeakPassword } from './password-rules.ts';
import type { SecurityEvent } from './security-event.ts';
import { type BegunSession, beginSession, type Visitor } from './sign-in.ts';
import { UserFault } from './user-fault.ts';

export interface MemberPorts extends AccessPorts {
  readonly members: MemberStore;
}

/** Who belongs to the account, and how many may. */
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
  { email, role }: { readonly email: string; readonly role: Role },
  request: SignedInRequest,
): Promise<Invitation> {
  requireMail(ports);
  await countAccountMail(ports, request);
  const invitation = await ports.members.invite(request.signedIn.account.accountId, email, role, ports.now());
  await record(ports, 'member_invited', request, { invitation_id: invitation.invitationId, role });
  return invitation;
}

/** @throws UserFault `invitation_not_found` */
export async function withdrawInvitation(
  ports: MemberPorts,
  invitationId: InvitationId,
  request: SignedInRequest,
): Promise<void> {
  const { accountId } = request.signedIn.account;
  if (!(await ports.members.withdraw(accountId, invitationId))) {
    throw new UserFault('invitation_not_found');
  }
  await record(ports, 'invitation_withdrawn', request, { invitation_id: invitationId });
}

/**
 * Makes a member of whoever got the mail, and signs in.
 *
 * @throws UserFault `link_not_valid`, `email_taken`, `members_exhausted`
 * @throws PasswordFault
 */
export async function acceptInvitation(
  ports: MemberPorts,
  { token, password }: { readonly token: string; readonly password: string },
  visitor: Visitor,
): Promise<BegunSession> {
  const linkId = linkOf(ports, 'invitation', token);
  const link = await ports.links.find(linkId, 'invitation', ports.now());
  if (!link) {
    throw new UserFault('link_not_valid');
  }
  refuseWeakPassword(password, link.email, ports.commonPasswords);
  const passwordHash = await ports.passwords.hash(password);
  const at = ports.now();
  const user = await ports.members.accept(linkId, passwordHash, at);
  if (!user) {
    throw new UserFault('link_not_valid');
  }
  const { accountId, userId, role } = user;
  const { client } = visitor;
  await ports.securityEvents.record({
    accountId,
    userId,
    kind: 'member_added',
    at,
    client,
    details: { role },
  });
  return beginSession(ports, user, visitor);
}

/** @throws UserFault `member_not_found`, `last_owner` */
export async function changeMemberRole(
  ports: MemberPorts,
  { userId, role }: { readonly userId: UserId; readonly role: Role },
  request: SignedInRequest,
): Promise<Member> {
  const member = await ports.members.changeRole(request.signedIn.account.accountId, userId, role);
  await record(ports, 'member_role_changed', request, { member_id: userId, role });
  return member;
}

/** @throws UserFault `member_not_found`, `last_owner` */
export async function removeMember(
  ports: MemberPorts,
  userId: UserId,
  request: SignedInRequest,
): Promise<void> {
  await ports.members.remove(request.signedIn.account.accountId, userId);
  await record(ports, 'member_removed', request, { member_id: userId });
}

async function record(
  { securityEvents, now }: MemberPorts,
  kind: SecurityEventKind,
  { signedIn, client }: SignedInRequest,
  details: NonNullable<SecurityEvent['details']>,
): Promise<void> {
  const { account, userId } = signedIn;
  await securityEvents.record({ accountId: account.accountId, userId, kind, at: now(), client, details });
}
