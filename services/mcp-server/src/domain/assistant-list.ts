import type { AccountId, AssistantId, OauthScope, UserId } from '@mailproof/shared-types';
import type { Assistant } from './assistant.ts';

/**
 * A connected assistant, as people see it in a list: all that one client was granted in one browser (ADR 0059). What one
 * of its grants may do, it may do; its id is that of the newest.
 */
export interface ListedAssistant extends Assistant {
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly OauthScope[];
  /** What the browser calls itself in which it was allowed; empty when that is not known. */
  readonly userAgent: string;
  /** When it was allowed last. */
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

/** Which assistants to end: one grant, or those of an account; fewer by what else is said. */
export type EndingAssistants = (
  | { readonly assistantId: AssistantId; readonly accountId?: AccountId }
  /** What a list shows as one: the grant of this id, with the others of its client in its browser. */
  | { readonly listedAs: AssistantId; readonly accountId: AccountId }
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
