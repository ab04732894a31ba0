import type { inviteMember, listMembers, OperationResult } from '@mailproof/shared-types';
import type { Invitation, Member } from '../domain/users/member-store.ts';

/** A member in the contract's names. */
export function memberAnswer(member: Member): OperationResult<typeof listMembers>['members'][number] {
  const { userId, email, role, createdAt } = member;
  return { user_id: userId, email, role, created_at: createdAt.toISOString() };
}

/** An invitation in the contract's names. */
export function invitationAnswer(invitation: Invitation): OperationResult<typeof inviteMember> {
  const { invitationId, email, role, createdAt, expiresAt } = invitation;
  return {
    invitation_id: invitationId,
    email,
    role,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
