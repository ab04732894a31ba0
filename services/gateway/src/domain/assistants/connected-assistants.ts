import type { AccountId, Assistant, AssistantId, UserId } from '@mailproof/shared-types';
import type { SignedIn } from '../accounts/signed-in.ts';
import type { SignedInRequest } from '../users/account-access.ts';
import type { MemberStore } from '../users/member-store.ts';
import type { SecurityEventLog } from '../users/security-event.ts';
import { UserFault } from '../users/user-fault.ts';

/** Stores connected assistants. */
export interface AssistantsPort {
  /** Lists the assistants of the account, or of one of its users, newest first. */
  list(
    accountId: AccountId,
    userId: UserId | undefined,
  ): Promise<{ readonly assistants: readonly Assistant[]; readonly address?: string | undefined }>;
  /** Disconnects an assistant, if it exists; safe to repeat. */
  disconnect(accountId: AccountId, assistantId: AssistantId, userId: UserId | undefined): Promise<void>;
  /** Disconnects everything that a user connected up to a given time; safe to repeat. */
  disconnectUser(user: { accountId: AccountId; userId: UserId; until: string }): Promise<void>;
}

/** An assistant with the address of the user who connected it, if they still belong to the account. */
export interface ConnectedAssistant extends Assistant {
  readonly email: string | undefined;
}

/** The assistants that a user sees. */
export interface ConnectedAssistants {
  readonly assistants: readonly ConnectedAssistant[];
  /** The address to enter in an assistant to connect it, if the tool server has reported it. */
  readonly address: string | undefined;
}

export interface ConnectedAssistantsPorts {
  readonly assistants: AssistantsPort;
  readonly members: Pick<MemberStore, 'list'>;
  readonly securityEvents: Pick<SecurityEventLog, 'record'>;
  readonly now: () => Date;
}

/** Lists the assistants that a user may see: all of the account's for an owner, their own for a member. */
export async function listConnectedAssistants(
  { assistants, members, now }: ConnectedAssistantsPorts,
  { signedIn }: Pick<SignedInRequest, 'signedIn'>,
): Promise<ConnectedAssistants> {
  const { accountId } = signedIn.account;
  const { assistants: listed, address } = await assistants.list(accountId, onlyOwn(signedIn));
  const emails = new Map([[signedIn.userId, signedIn.email]]);
  if (listed.some(({ userId }) => !emails.has(userId))) {
    for (const member of (await members.list(accountId, now())).members) {
      emails.set(member.userId, member.email);
    }
  }
  return {
    assistants: listed.map(assistant => ({ ...assistant, email: emails.get(assistant.userId) })),
    address,
  };
}

/**
 * Disconnects an assistant that the caller may see, and records it. Looks up first whether it exists, because a retried
 * call to the tool server, after a lost response, would find nothing left to disconnect.
 *
 * @throws UserFault `assistant_not_found`
 */
export async function disconnectConnectedAssistant(
  { assistants, securityEvents, now }: ConnectedAssistantsPorts,
  assistantId: AssistantId,
  { signedIn, client }: SignedInRequest,
): Promise<void> {
  const { userId } = signedIn;
  const { accountId } = signedIn.account;
  const { assistants: listed } = await assistants.list(accountId, onlyOwn(signedIn));
  const found = listed.find(assistant => assistant.assistantId === assistantId);
  if (!found) {
    throw new UserFault('assistant_not_found');
  }
  await assistants.disconnect(accountId, assistantId, onlyOwn(signedIn));
  await securityEvents.record({
    accountId,
    userId,
    kind: 'assistant_disconnected',
    at: now(),
    client,
    details: { assistant_id: assistantId, ...(found.userId !== userId && { member_id: found.userId }) },
  });
}

function onlyOwn({ role, userId }: SignedIn): UserId | undefined {
  return role === 'owner' ? undefined : userId;
}
