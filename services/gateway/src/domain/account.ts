import { type AccountId, type ApiKeyId, type PlanName, plans } from '@mailproof/shared-types';
import type { ApiKey } from './api-key.ts';

/** The tenant: what is bought, limited and charged. */
export interface Account {
  readonly accountId: AccountId;
  readonly name: string;
  readonly plan: PlanName;
  /** Requests in any one second: what was agreed with the account, or its plan's rate. */
  readonly requestsPerSecond: number;
}

export type KeyLookup =
  | { readonly kind: 'active'; readonly account: Account }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'unknown' };

export interface NewAccount {
  readonly name: string;
  readonly plan: PlanName;
  /** A rate above the plan's, where one was agreed. */
  readonly requestsPerSecond?: number | undefined;
  /** Credits granted at the start; none when 0. */
  readonly credits: number;
}

/** An account that was just made, with its first key, which is shown this once. */
export interface CreatedAccount {
  readonly accountId: AccountId;
  readonly apiKeyId: ApiKeyId;
  readonly apiKey: ApiKey;
}

/** Where accounts and their keys are kept. */
export interface AccountStore {
  lookUpKey(key: ApiKey): Promise<KeyLookup>;
  create(account: NewAccount): Promise<CreatedAccount>;
  /** Makes a further key; the ones before it stay valid. Answers nothing for an unknown account. */
  addKey(accountId: AccountId): Promise<{ apiKeyId: ApiKeyId; apiKey: ApiKey } | undefined>;
  /** Makes a key invalid from the next request on. False when there is no such active key. */
  revokeKey(apiKeyId: ApiKeyId): Promise<boolean>;
  /** Asks for credits to be granted; the grant follows through the outbox. False for an unknown account. */
  requestGrant(accountId: AccountId, credits: number): Promise<boolean>;
  /** How many grants of the account are still on their way. */
  pendingGrants(accountId: AccountId): Promise<number>;
}

/** The rate that applies to an account. */
export function rateOf(plan: PlanName, agreed: number | null): number {
  return agreed ?? plans[plan].requestsPerSecond;
}
