import type { AccountId, ProfileProviderSettings, ProviderFailure } from '@mailproof/shared-types';

/** How to query a provider. Secret headers have no value here. */
export type ProviderSettings = ProfileProviderSettings;

/** The values of secret headers, by lower-case header name. */
export type ProviderSecrets = Readonly<Record<string, string>>;

/** An account's own provider and its recent results. */
export interface ProfileProvider {
  readonly accountId: AccountId;
  readonly settings: ProviderSettings;
  /** Sealed for the account; null if no header is secret. */
  readonly sealedSecrets: string | null;
  readonly updatedAt: Date;
  readonly lastSuccessAt: Date | null;
  readonly lastFailure: (FailedAnswer & { readonly at: Date }) | null;
}

/** Why a provider gave no usable answer. */
export interface FailedAnswer {
  readonly reason: ProviderFailure;
  /** The HTTP status of its response, if there was one. */
  readonly status: number | null;
}

/** Stores providers, one per account. */
export interface ProfileProviderStore {
  find(accountId: AccountId): Promise<ProfileProvider | undefined>;
  /** Replaces the provider's settings and deletes the answers of the previous one. */
  put(
    provider: Pick<ProfileProvider, 'accountId' | 'settings' | 'sealedSecrets' | 'updatedAt'>,
  ): Promise<void>;
  /** Deletes the provider with all its answers; returns whether there was one. */
  remove(accountId: AccountId): Promise<boolean>;
  /** Records the provider's result, unless its settings were replaced since the query. */
  noteSuccess(provider: ProfileProvider, at: Date): Promise<void>;
  noteFailure(provider: ProfileProvider, failed: FailedAnswer, at: Date): Promise<void>;
}

/** The provider gave no usable answer. */
export class ProviderFault extends Error implements FailedAnswer {
  override readonly name = 'ProviderFault';
  readonly reason: ProviderFailure;
  readonly status: number | null;

  constructor(reason: ProviderFailure, status: number | null = null, options?: ErrorOptions) {
    super(`The provider request failed: ${reason}.`, options);
    this.reason = reason;
    this.status = status;
  }
}
