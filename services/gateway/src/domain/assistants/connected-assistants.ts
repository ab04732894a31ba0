import type { AccountId, Assistant, AssistantId, UserId } from '@mailproof/shared-types';
import type { SignedIn } from '../accounts/signed-in.ts';
import type { SignedInRequest } from '../users/account-access.ts';
import type { MemberStore } from '../users/member-store.ts';
import type { SecurityEventLog } from '../users/security-event.ts';
import { UserFault } from '../users/user-fault.ts';

/** Where connected assistants are kept. */
export interface AssistantsPort {
  /** Those of the account, or of one user of it, the newest first. */
  list(
    accountId: AccountId,
    userId: UserId | undefined,
  ): Promise<{ readonly assistants: readonly Assistant[]; readonly address?: string | undefined }>;
  /** Ends one, if it is there; may be asked again. */
  disconnect(accountId: AccountId, assistantId: AssistantId, userId: UserId | undefined): Promise<void>;
  /** Ends what a user had connected until a moment; may be asked again. */
  disconnectUser(user: { accountId: AccountId; userId: UserId; until: string }): Promise<void>;
}

/** An assistant with the address of who connected it, as far as that person belongs to the account. */
export interface ConnectedAssistant extends Assistant {
  readonly email: string | undefined;
}

/** What somebody sees of assistants. */
export interface ConnectedAssistants {
  readonly assistants: readonly ConnectedAssistant[];
  /** What an assistant is given to connect, where the tool server has said it. */
  readonly address: string | undefined;
}

export interface ConnectedAssistantsPorts {
  readonly assistants: AssistantsPort;
  readonly members: Pick<MemberStore, 'list'>;
  readonly securityEvents: Pick<SecurityEventLog, 'record'>;
  readonly now: () => Date;
}

/** The assistants that somebody may see: an owner everybody's, a member their own. */
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
 * Disconnects an assistant that the asker may see, and writes it down. That it was there is looked up ahead: asked a
 * second time, after an answer that was lost on its way, the tool server would have nothing left to count.
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
