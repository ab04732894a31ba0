import type { AccountId, AssistantId, OauthScope, UserId } from '@mailproof/shared-types';
import type { Assistant } from './assistant.ts';

/**
 * A connected assistant as a list shows it: all grants to one client in one browser (ADR 0059). It has the scopes of
 * all of them, and the id of the newest.
 */
export interface ListedAssistant extends Assistant {
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly OauthScope[];
  /** `User-Agent` of the browser in which it was allowed; empty when unknown. */
  readonly userAgent: string;
  /** When the user last allowed it. */
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

/** Which grants to end: one, or those of an account that match the other parts. */
export type EndingAssistants = (
  | { readonly assistantId: AssistantId; readonly accountId?: AccountId }
  /** One list entry: the grant with this id, and the other grants of its client in its browser. */
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
