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
  /** The refresh token, by its hash, that this request is the first sign of: the client has received it. */
  readonly receivedRefreshSha256?: string | undefined;
}

/**
 * Finds the connected assistant of an access token; never from a cache, so that one that was disconnected is refused at its
 * next request.
 */
export type FindAssistant = (
  token: Pick<AccessToken, 'assistantId' | 'refreshSha256'>,
) => Promise<Assistant | undefined>;

/**
 * Notes that an assistant was used just now, to the minute, so that a busy one does not write at every call; and the
 * refresh token that it has received.
 */
export type NoteAssistantUse = (
  assistant: Pick<Assistant, 'assistantId' | 'lastUsedAt' | 'receivedRefreshSha256'>,
) => Promise<void>;
