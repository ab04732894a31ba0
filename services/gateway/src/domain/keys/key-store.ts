import { type AccountId, type ApiKeyId, type PlanName, plans, type UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';
import type { MadeKey } from '../billing/billing-store.ts';
import type { ApiKey } from './api-key.ts';
import type { SealedKey } from './key-sealer.ts';

/** A stored API key: its hash, and a sealed copy if there is one. */
export interface StoredKey {
  readonly apiKeyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly keySha256: Uint8Array;
  readonly displayPrefix: string;
  readonly createdAt: Date;
  /** Absent for a key that predates sealed copies or was created without a key ring. */
  readonly sealed: SealedKey | undefined;
}

/** A stored key that has a sealed copy. */
export type SealedStoredKey = StoredKey & { readonly sealed: SealedKey };

/** The user who regenerates a key; the operator if absent. */
export interface KeyRenewer {
  readonly userId: UserId;
  readonly client: Client;
}

/** Stores keys and their sealed copies. */
export interface KeyStore {
  /** The account's active key; the newest if earlier releases left several. */
  activeKey(accountId: AccountId): Promise<StoredKey | undefined>;
  /**
   * Creates a new key, invalidates all earlier ones, and records who did it, in one transaction. Returns undefined for
   * an unknown account.
   */
  regenerate(accountId: AccountId, now: Date, by?: KeyRenewer): Promise<MadeKey | undefined>;
  /** Stores a resealed copy, unless the key has been revoked or resealed meanwhile. */
  replaceSealed(key: SealedStoredKey, sealed: SealedKey): Promise<boolean>;
  /** Keys sealed under a key-encryption key other than the given one, ordered by id. */
  sealedUnderOthers(kid: string, after: ApiKeyId | undefined, limit: number): Promise<SealedStoredKey[]>;
  /** The number of those keys. */
  countSealedUnderOthers(kid: string): Promise<number>;
}

/** The key as shown to the account's owner. */
export type ShownKey =
  | { readonly kind: 'shown'; readonly stored: StoredKey; readonly apiKey: ApiKey }
  | { readonly kind: 'none' }
  /** Authentication by the hash still works; regenerating creates a key that can be shown. */
  | { readonly kind: 'cannot_be_shown'; readonly stored: StoredKey; readonly cause: unknown };

/** The plan decides whether a key works: without API access, the key is disabled, never deleted. */
export function keyStateOf(plan: PlanName): 'active' | 'disabled' {
  return plans[plan].apiAccess ? 'active' : 'disabled';
}
