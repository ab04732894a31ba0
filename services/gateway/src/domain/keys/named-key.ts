import type { AccountId, ApiKeyId, KeyMode, KeyScope, PlanName, UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';
import type { ApiKey } from './api-key.ts';
import { keyStateOf } from './key-store.ts';

/** What an owner decides about a new named key; nothing of it changes later. */
export interface NamedKeyTerms {
  readonly name: string;
  readonly mode: KeyMode;
  readonly scopes: readonly KeyScope[];
  /** From this time on the key is refused; absent for never. */
  readonly expiresAt: Date | undefined;
}

/** A key that an owner created in addition to the account's default key. Only its hash is stored (ADR 0069). */
export interface NamedKey extends NamedKeyTerms {
  readonly apiKeyId: ApiKeyId;
  readonly displayPrefix: string;
  readonly createdBy: UserId;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

/** The owner who creates or revokes a named key, and when. */
export interface NamedKeyAct {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly client: Client;
  readonly now: Date;
}

/** Stores named keys. Every method sees the keys of one account only. */
export interface NamedKeyStore {
  /** The account's keys that are not revoked, newest first. */
  list(accountId: AccountId): Promise<NamedKey[]>;
  /**
   * Creates a key and records who did it, in one transaction. Returns `exhausted` if the account has `limits.apiKeysMax`
   * keys that are not revoked.
   *
   * @throws AccountDeleted
   */
  create(terms: NamedKeyTerms, act: NamedKeyAct): Promise<{ key: NamedKey; apiKey: ApiKey } | 'exhausted'>;
  /** Refuses the key from the next request on. Returns false if the account has no such key. */
  revoke(apiKeyId: ApiKeyId, act: NamedKeyAct): Promise<boolean>;
}

/** Whether programs can use the key now. The plan can make a disabled key work again; an expired key stays expired. */
export function namedKeyStateOf(
  { expiresAt }: Pick<NamedKey, 'expiresAt'>,
  plan: PlanName,
  now: Date,
): 'active' | 'disabled' | 'expired' {
  return expiresAt && expiresAt <= now ? 'expired' : keyStateOf(plan);
}
