import { type AccountId, type ApiKeyId, type PlanName, plans, type UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';
import type { MadeKey } from '../billing/billing-store.ts';
import type { ApiKey } from './api-key.ts';
import type { SealedKey } from './key-sealer.ts';

/** An API key as it is kept: its hash, and a sealed copy where there is one. */
export interface StoredKey {
  readonly apiKeyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly keySha256: Uint8Array;
  readonly displayPrefix: string;
  readonly createdAt: Date;
  /** Absent for a key that was made before copies were kept, or where no ring was at hand. */
  readonly sealed: SealedKey | undefined;
}

/** A stored key that has a sealed copy. */
export type SealedStoredKey = StoredKey & { readonly sealed: SealedKey };

/** Whoever regenerates a key; the operator where nobody is named. */
export interface KeyRenewer {
  readonly userId: UserId;
  readonly client: Client;
}

/** Where keys and their sealed copies are kept. */
export interface KeyStore {
  /** The account's active key, the newest should it have several of earlier releases. */
  activeKey(accountId: AccountId): Promise<StoredKey | undefined>;
  /**
   * Makes a new key and all earlier ones invalid, and writes down who did it, in one transaction. Nothing for an unknown
   * account.
   */
  regenerate(accountId: AccountId, now: Date, by?: KeyRenewer): Promise<MadeKey | undefined>;
  /** Takes over a copy sealed anew, unless the key was revoked or sealed anew meanwhile. */
  replaceSealed(key: SealedStoredKey, sealed: SealedKey): Promise<boolean>;
  /** Keys sealed under another than the given key-encryption key, in the order of their ids. */
  sealedUnderOthers(kid: string, after: ApiKeyId | undefined, limit: number): Promise<SealedStoredKey[]>;
  /** How many there are of those. */
  countSealedUnderOthers(kid: string): Promise<number>;
}

/** What an account's owner sees of the key. */
export type ShownKey =
  | { readonly kind: 'shown'; readonly stored: StoredKey; readonly apiKey: ApiKey }
  | { readonly kind: 'none' }
  /** Authentication works by the hash all the same; regenerating gives a key that can be shown. */
  | { readonly kind: 'cannot_be_shown'; readonly stored: StoredKey; readonly cause: unknown };

/** Whether a key works follows from the plan: it is disabled, never deleted, while the plan has no API access. */
export function keyStateOf(plan: PlanName): 'active' | 'disabled' {
  return plans[plan].apiAccess ? 'active' : 'disabled';
}
