import { type Route, route } from '@mailproof/service-kit';
import { listMembers } from '@mailproof/shared-types';
import type { Invitation, Member } from '../domain/users/member-store.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { invitationAnswer, memberAnswer } from './member-answer.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';
import { orProblem } from './user-problem.ts';

export function listMembersRoute(
  guard: SessionGuard,
  list: (request: SignedInRequest) => Promise<{
    members: Member[];
    invitations: Invitation[];
    membersMax: number;
  }>,
): Route {
  return route(listMembers, guard(listMembers), async (_input, context) => {
    const { members, invitations, membersMax } = await orProblem(list(signedInRequest(context)));
    return {
      members: members.map(memberAnswer),
      invitations: invitations.map(invitationAnswer),
      members_max: membersMax,
    };
  });
}
