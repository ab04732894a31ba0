import type { AccountId, ProfileProviderSettings, ProviderFailure } from '@mailproof/shared-types';

/** How a provider is asked. Secret headers have no value here. */
export type ProviderSettings = ProfileProviderSettings;

/** The values of secret headers, by the header's name in lower case. */
export type ProviderSecrets = Readonly<Record<string, string>>;

/** An account's own provider, and how it did lately. */
export interface ProfileProvider {
  readonly accountId: AccountId;
  readonly settings: ProviderSettings;
  /** Sealed for the account; null where no header is secret. */
  readonly sealedSecrets: string | null;
  readonly updatedAt: Date;
  readonly lastSuccessAt: Date | null;
  readonly lastFailure: (FailedAnswer & { readonly at: Date }) | null;
}

/** Why a provider could not say anything. */
export interface FailedAnswer {
  readonly reason: ProviderFailure;
  /** The HTTP status that it answered with, if it did. */
  readonly status: number | null;
}

/** Where providers are kept, one an account. */
export interface ProfileProviderStore {
  find(accountId: AccountId): Promise<ProfileProvider | undefined>;
  /** Sets the provider up anew and forgets what the one before said. */
  put(
    provider: Pick<ProfileProvider, 'accountId' | 'settings' | 'sealedSecrets' | 'updatedAt'>,
  ): Promise<void>;
  /** Forgets it with all that it said; answers whether there was one. */
  remove(accountId: AccountId): Promise<boolean>;
  /** Notes how a provider did, unless it was set up anew since it was asked. */
  noteSuccess(provider: ProfileProvider, at: Date): Promise<void>;
  noteFailure(provider: ProfileProvider, failed: FailedAnswer, at: Date): Promise<void>;
}

/** A provider that could not say anything. */
export class ProviderFault extends Error implements FailedAnswer {
  override readonly name = 'ProviderFault';
  readonly reason: ProviderFailure;
  readonly status: number | null;

  constructor(reason: ProviderFailure, status: number | null = null, options?: ErrorOptions) {
    super(`The provider could not say anything: ${reason}.`, options);
    this.reason = reason;
    this.status = status;
  }
}
