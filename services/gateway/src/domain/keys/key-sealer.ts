import type { AccountId } from '@mailproof/shared-types';
import type { ApiKey } from './api-key.ts';

/** An API key encrypted under a key-encryption key and bound to its account. */
export interface SealedKey {
  readonly sealedKey: string;
  /** The key-encryption key that it was sealed under. */
  readonly kid: string;
}

/** Seals API keys, so that the database alone reveals none. */
export interface KeySealer {
  /** The key-encryption key that seals; the others in the ring only open. */
  readonly currentKid: string;
  seal(key: ApiKey, accountId: AccountId): Promise<SealedKey>;
  /** Opens a key that was sealed for this account. Throws `SealFault`. */
  open(sealedKey: string, accountId: AccountId): Promise<ApiKey>;
}

/** A sealed copy cannot be opened or is not authentic. The message holds no part of it. */
export class SealFault extends Error {
  override readonly name = 'SealFault';
  /**
   * `unknown_kid`: its key-encryption key is not in the ring. `not_authentic`: altered, or for another account or type.
   */
  readonly kind: 'unknown_kid' | 'not_authentic';

  constructor(kind: SealFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
