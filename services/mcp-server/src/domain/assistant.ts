import type { AccountId, AssistantId, OauthScope, UserId } from '@mailproof/shared-types';
import type { AccessToken } from './access-token.ts';

/** An OAuth client that a user has connected, with what the user granted it. */
export interface Assistant {
  readonly assistantId: AssistantId;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly scopes: readonly OauthScope[];
  /** To the minute; absent before its first call. */
  readonly lastUsedAt: Date | undefined;
  /** The hash of a refresh token; this request is the first sign that the client has received that token. */
  readonly receivedRefreshSha256?: string | undefined;
}

/**
 * Finds the connected assistant of an access token; never from a cache, so that a disconnected one is refused at its
 * next request.
 */
export type FindAssistant = (
  token: Pick<AccessToken, 'assistantId' | 'refreshSha256'>,
) => Promise<Assistant | undefined>;

/**
 * Records that an assistant was used just now, to the minute, so that a busy one does not write at every call. Also
 * records the refresh token that it has received.
 */
export type NoteAssistantUse = (
  assistant: Pick<Assistant, 'assistantId' | 'lastUsedAt' | 'receivedRefreshSha256'>,
) => Promise<void>;
