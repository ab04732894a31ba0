import type { AccountId, AssistantRefusal, UserId } from '@mailproof/shared-types';

/** What became of the request for an account's API key. */
export type AccountKey =
  | { readonly kind: 'ready'; readonly apiKey: string }
  /** The user's assistants may not work for the account at present. */
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal }
  /** The gateway does not answer. */
  | { readonly kind: 'away' };

/** Fetches the account's API key for one call. Whoever gets it keeps it nowhere. */
export type FetchAccountKey = (
  of: { readonly accountId: AccountId; readonly userId: UserId },
  signal: AbortSignal,
) => Promise<AccountKey>;
