import type { AccountId, ProfileProviderSettings, ProviderFailure } from '@mailproof/shared-types';

/** How to query an account's providers. Secret headers have no value here. */
export type ProviderSettings = ProfileProviderSettings;

/** How to query one of them. */
export type ProviderStep = Omit<ProfileProviderSettings, 'fallbacks'>;

/** The values of secret headers, by lower-case header name; those of later providers begin with their position. */
export type ProviderSecrets = Readonly<Record<string, string>>;

/** An account's own providers and their recent results. */
export interface ProfileProvider {
  readonly accountId: AccountId;
  readonly settings: ProviderSettings;
  /** Sealed for the account; null if no header is secret. */
  readonly sealedSecrets: string | null;
  readonly updatedAt: Date;
  readonly lastSuccessAt: Date | null;
  /** `provider` is the name of the one that failed. */
  readonly lastFailure: (FailedAnswer & { readonly at: Date; readonly provider: string | null }) | null;
  /** Queries of a month, by name, of providers that have a budget. */
  readonly spent: ProviderSpend;
}

export interface ProviderSpend {
  /** Such as `2026-06`; empty if nothing was ever spent. */
  readonly month: string;
  readonly requests: Readonly<Record<string, number>>;
}

/** The calendar month in UTC for which a budget counts. */
export function monthOf(now: Date): string {
  return now.toISOString().slice(0, 7);
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
  noteFailure(provider: ProfileProvider, name: string, failed: FailedAnswer, at: Date): Promise<void>;
  /** Counts a query against a budget; false, and nothing counted, if the budget of the month is spent. */
  spend(accountId: AccountId, name: string, month: string, requestsMax: number): Promise<boolean>;
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
