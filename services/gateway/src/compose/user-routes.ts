import type { Guard, Route } from '@mailproof/service-kit';
import {
  askEmailChange,
  askPasswordReset,
  askSignUp,
  changePassword,
  confirmEmailChange,
  confirmSignUp,
  resetPassword,
} from '../domain/users/account-access.ts';
import {
  acceptInvitation,
  changeMemberRole,
  inviteMember,
  listMembers,
  type MemberPorts,
  removeMember,
  withdrawInvitation,
} from '../domain/users/members.ts';
import { endSession, signOut, signOutEverywhere } from '../domain/users/open-sessions.ts';
import { signIn, type Visitor } from '../domain/users/sign-in.ts';
import { acceptInvitationRoute } from '../http/accept-invitation.ts';
import { changeMemberRoleRoute } from '../http/change-member-role.ts';
import { changePasswordRoute } from '../http/change-password.ts';
import { confirmEmailChangeRoute } from '../http/confirm-email-change.ts';
import { confirmPasswordResetRoute } from '../http/confirm-password-reset.ts';
import { confirmSignUpRoute } from '../http/confirm-sign-up.ts';
import { endSessionRoute } from '../http/end-session.ts';
import { getSessionRoute } from '../http/get-session.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';
import { inviteMemberRoute } from '../http/invite-member.ts';
import { listMembersRoute } from '../http/list-members.ts';
import { listSecurityEventsRoute } from '../http/list-security-events.ts';
import { listSessionsRoute } from '../http/list-sessions.ts';
import { removeMemberRoute } from '../http/remove-member.ts';
import { requestEmailChangeRoute } from '../http/request-email-change.ts';
import { requestPasswordResetRoute } from '../http/request-password-reset.ts';
import { requestSignUpRoute } from '../http/request-sign-up.ts';
import { signInRoute } from '../http/sign-in.ts';
import { signOutRoute } from '../http/sign-out.ts';
import { signOutEverywhereRoute } from '../http/sign-out-everywhere.ts';
import { withdrawInvitationRoute } from '../http/withdraw-invitation.ts';

interface UserRoutesOptions {
  readonly ports: MemberPorts;
  readonly sessionGuard: SessionGuard;
  readonly visitorGuard: Guard<Visitor>;
  readonly sessionSeconds: number;
}

/** Joins the operations on users to what carries them out. */
export function userRoutes(options: UserRoutesOptions): Route[] {
  return [...openRoutes(options), ...sessionRoutes(options), ...memberRoutes(options)];
}

/** For whoever has not signed in. */
function openRoutes({ ports, visitorGuard, sessionSeconds }: UserRoutesOptions): Route[] {
  return [
    signInRoute(visitorGuard, signIn.bind(undefined, ports), sessionSeconds),
    requestSignUpRoute(visitorGuard, askSignUp.bind(undefined, ports)),
    confirmSignUpRoute(visitorGuard, confirmSignUp.bind(undefined, ports), sessionSeconds),
    requestPasswordResetRoute(visitorGuard, askPasswordReset.bind(undefined, ports)),
    confirmPasswordResetRoute(visitorGuard, resetPassword.bind(undefined, ports)),
    confirmEmailChangeRoute(visitorGuard, confirmEmailChange.bind(undefined, ports)),
    acceptInvitationRoute(visitorGuard, acceptInvitation.bind(undefined, ports), sessionSeconds),
  ];
}

function sessionRoutes({ ports, sessionGuard }: UserRoutesOptions): Route[] {
  return [
    getSessionRoute(sessionGuard),
    signOutRoute(sessionGuard, signOut.bind(undefined, ports)),
    listSessionsRoute(sessionGuard, userId => ports.sessions.list(userId, ports.now())),
    signOutEverywhereRoute(sessionGuard, signOutEverywhere.bind(undefined, ports)),
    endSessionRoute(sessionGuard, endSession.bind(undefined, ports)),
    changePasswordRoute(sessionGuard, changePassword.bind(undefined, ports)),
    requestEmailChangeRoute(sessionGuard, askEmailChange.bind(undefined, ports)),
    listSecurityEventsRoute(sessionGuard, ports.securityEvents.list),
  ];
}

/** What names no member comes first: `/members/invitations` would be taken for a member otherwise. */
function memberRoutes({ ports, sessionGuard }: UserRoutesOptions): Route[] {
  return [
    listMembersRoute(sessionGuard, listMembers.bind(undefined, ports)),
    inviteMemberRoute(sessionGuard, inviteMember.bind(undefined, ports)),
    withdrawInvitationRoute(sessionGuard, withdrawInvitation.bind(undefined, ports)),
    changeMemberRoleRoute(sessionGuard, changeMemberRole.bind(undefined, ports)),
    removeMemberRoute(sessionGuard, removeMember.bind(undefined, ports)),
  ];
}
