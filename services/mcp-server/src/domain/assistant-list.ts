import type { AccountId, AssistantId, OauthScope, UserId } from '@mailproof/shared-types';
import type { Assistant } from './assistant.ts';

/** A connected assistant, as people see it in a list. */
export interface ListedAssistant extends Assistant {
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly OauthScope[];
  readonly connectedAt: Date;
  /** To the minute; nothing before its first call. */
  readonly lastUsedAt: Date | undefined;
}

/** Finds the assistants of an account, or of one user of it, that are connected at a moment; the newest first. */
export type ListAssistants = (
  accountId: AccountId,
  userId: UserId | undefined,
  now: Date,
) => Promise<readonly ListedAssistant[]>;

/** Which assistants to end: one, or those of an account; fewer by what else is said. */
export type EndingAssistants = (
  | { readonly assistantId: AssistantId; readonly accountId?: AccountId }
  | { readonly accountId: AccountId }
) & {
  readonly userId?: UserId | undefined;
  /** Those alone that were connected at this moment or earlier. */
  readonly connectedUntil?: Date;
};

/**
 * Ends assistants, and answers how many there were. An ended assistant is gone with its grant and its refresh tokens, and
 * its access tokens are refused from the next request on. Whatever ends assistants does it by this: disconnecting,
 * revocation, and a token or code that was used twice.
 */
export type EndAssistants = (which: EndingAssistants) => Promise<number>;
