import type { AccountId, AssistantId, OauthScope, UserId } from '@mailproof/shared-types';

/** An OAuth client that a user has connected, with what the user granted it. */
export interface Assistant {
  readonly assistantId: AssistantId;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly scopes: readonly OauthScope[];
  /** To the minute; absent before its first call. */
  readonly lastUsedAt: Date | undefined;
}

/** Finds a connected assistant; never from a cache, so that one that was disconnected is refused at its next request. */
export type FindAssistant = (assistantId: AssistantId) => Promise<Assistant | undefined>;

/** Notes that an assistant was used just now; to the minute, so that a busy one does not write at every call. */
export type NoteAssistantUse = (assistant: Pick<Assistant, 'assistantId' | 'lastUsedAt'>) => Promise<void>;
