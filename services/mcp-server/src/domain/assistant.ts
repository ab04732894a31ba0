import type { AccountId, AssistantId, OauthScope, UserId } from '@mailproof/shared-types';
import type { AccessToken } from './access-token.ts';

/** An OAuth client that a user has connected, with the scopes that the user granted. */
export interface Assistant {
  readonly assistantId: AssistantId;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly scopes: readonly OauthScope[];
  /** To the minute; undefined before its first call. */
  readonly lastUsedAt: Date | undefined;
  /** The hash of a refresh token; this request is the first sign that the client has received that token. */
  readonly receivedRefreshSha256?: string | undefined;
}

/**
 * Finds the connected assistant of an access token. It never uses a cache, so that a disconnected assistant is refused
 * at its next request.
 */
export type FindAssistant = (
  token: Pick<AccessToken, 'assistantId' | 'refreshSha256'>,
) => Promise<Assistant | undefined>;

/**
 * Records that an assistant was just used. The time is kept to the minute, so that a busy assistant does not cause a
 * write at every call. It also records the refresh token that the assistant has received.
 */
export type NoteAssistantUse = (
  assistant: Pick<Assistant, 'assistantId' | 'lastUsedAt' | 'receivedRefreshSha256'>,
) => Promise<void>;

/**
 * A connected assistant as shown in a list: all grants to one client in one browser (ADR 0059). It has the scopes of
 * all these grants, and the id of the newest.
 */
interface ListedAssistant extends Assistant {
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly OauthScope[];
  /** `User-Agent` of the browser in which the user allowed it; empty when unknown. */
  readonly userAgent: string;
  /** When the user last allowed it. */
  readonly connectedAt: Date;
  /** To the minute; undefined before the first call. */
  readonly lastUsedAt: Date | undefined;
}

/** Finds the assistants of an account, or of one of its users, that are connected at a given time, newest first. */
export type ListAssistants = (
  accountId: AccountId,
  userId: UserId | undefined,
  now: Date,
) => Promise<readonly ListedAssistant[]>;

/** Which grants to end: one, or those of an account that match the other fields. */
type AssistantSelection = (
  | { readonly assistantId: AssistantId; readonly accountId?: AccountId }
  /** One list entry: the grant with this id, and the other grants of its client in its browser. */
  | { readonly listedAs: AssistantId; readonly accountId: AccountId }
  | { readonly accountId: AccountId }
) & {
  readonly userId?: UserId | undefined;
  /** Only assistants that were connected at this time or earlier. */
  readonly connectedUntil?: Date;
};

/**
 * Ends assistants and returns how many there were. An assistant ends together with its grant and its refresh tokens,
 * and its access tokens are refused from the next request on. This is the only function that ends assistants: it
 * handles disconnection, revocation, and a token or code that was used twice.
 */
export type EndAssistants = (which: AssistantSelection) => Promise<number>;
