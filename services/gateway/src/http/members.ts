import type { OperationResult, Operations } from '@mailproof/shared-types';
import type { Invitation, Member } from '../domain/users/member-store.ts';
import {
  acceptInvitation,
  changeMemberRole,
  inviteMember,
  listMembers,
  type MemberPorts,
  removeMember,
  withdrawInvitation,
} from '../domain/users/members.ts';
import { cookiesOf } from './guards/browser.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import { signedInRequest } from './guards/session-guard.ts';
import { signedInAnswer } from './sessions.ts';
import { orProblem } from './user-problem.ts';

/** Members of an account, and its invitations. */
export function memberHandlers(ports: MemberPorts, sessionSeconds: number) {
  return {
    async listMembers(_input, context) {
      const { members, invitations, membersMax } = await orProblem(
        listMembers(ports, signedInRequest(context)),
      );
      return {
        members: members.map(memberAnswer),
        invitations: invitations.map(invitationAnswer),
        members_max: membersMax,
      };
    },

    async inviteMember({ body }, context) {
      const invited = { email: body.email.normalized, role: body.role };
      return invitationAnswer(await orProblem(inviteMember(ports, invited, signedInRequest(context))));
    },

    async acceptInvitation({ body }, { caller, setHeader }) {
      const session = await orProblem(acceptInvitation(ports, body, caller));
      setHeader('set-cookie', cookiesOf(session, sessionSeconds));
      return signedInAnswer(session.signedIn);
    },

    async withdrawInvitation({ params }, context) {
      await orProblem(withdrawInvitation(ports, params.invitation_id, signedInRequest(context)));
      return { done: true as const };
    },

    async changeMemberRole({ params, body }, context) {
      const wanted = { userId: params.user_id, role: body.role };
      return memberAnswer(await orProblem(changeMemberRole(ports, wanted, signedInRequest(context))));
    },

    async removeMember({ params }, context) {
      await orProblem(removeMember(ports, params.user_id, signedInRequest(context)));
      return { done: true as const };
    },
  } satisfies Partial<GatewayHandlers>;
}

/** Converts a member to the contract's field names. */
function memberAnswer(member: Member): OperationResult<Operations['listMembers']>['members'][number] {
  const { userId, email, role, createdAt } = member;
  return { user_id: userId, email, role, created_at: createdAt.toISOString() };
}

/** Converts an invitation to the contract's field names. */
function invitationAnswer(invitation: Invitation): OperationResult<Operations['inviteMember']> {
  const { invitationId, email, role, createdAt, expiresAt } = invitation;
  return {
    invitation_id: invitationId,
    email,
    role,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
