import { type AccountId, type ApiKeyId, type KeyScope, type PlanName, plans } from '@mailproof/shared-types';
import type { MadeKey } from '../billing/billing-store.ts';
import type { ApiKey } from '../keys/api-key.ts';

/** The tenant: the unit of purchase, rate limits and charging. */
export interface Account {
  readonly accountId: AccountId;
  readonly name: string;
  readonly plan: PlanName;
  /** The most requests in any second: the rate agreed with the account, or its plan's rate. */
  readonly requestsPerSecond: number;
}

export type KeyLookup =
  | {
      readonly kind: 'active';
      readonly account: Account;
      readonly apiKeyId: ApiKeyId;
      /** A test key gets the answers of the sandbox only. */
      readonly isTest: boolean;
      /** What the key may do; every scope for the account's default key. */
      readonly scopes: readonly KeyScope[];
    }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'expired' }
  /** The key is the account's, and works again once the account has a plan with API access. */
  | { readonly kind: 'planWithoutApiAccess' }
  | { readonly kind: 'unknown' };

/** Finds the account that a key belongs to; never from a cache. */
export type LookUpKey = (key: ApiKey) => Promise<KeyLookup>;

export interface NewAccount {
  readonly name: string;
  readonly plan: PlanName;
  /** A rate above the plan's, if one was agreed. */
  readonly requestsPerSecond?: number | undefined;
  /** Credits granted at the start; none when 0. */
  readonly credits: number;
  /** When its plan starts; defaults to now. */
  readonly startsAt?: Date | undefined;
}

/** A newly created account, with its first key if its plan includes one. */
export interface CreatedAccount extends Partial<MadeKey> {
  readonly accountId: AccountId;
}

/** The terms of credits outside a plan; an adjustment expires only if `expiresAt` is set. */
export interface GrantTerms {
  readonly kind: 'top_up' | 'adjustment';
  /** When the remaining credits expire; absent for never. */
  readonly expiresAt?: Date;
}

/** Stores accounts and their keys. */
export interface AccountStore {
  create(account: NewAccount): Promise<CreatedAccount>;
  /** Invalidates a default or a named key from the next request on. Returns false if there is no such active key. */
  revokeKey(apiKeyId: ApiKeyId): Promise<boolean>;
  /** Requests a grant of credits, which the outbox delivers. Returns false for an unknown account. */
  requestGrant(accountId: AccountId, credits: number, terms?: GrantTerms): Promise<boolean>;
  /** The number of the account's grants and cycles that have not reached the ledger yet. */
  pendingGrants(accountId: AccountId): Promise<number>;
}

/** The rate that applies to an account. */
export function rateOf(plan: PlanName, agreed: number | null): number {
  return agreed ?? plans[plan].requestsPerSecond;
}

/**
 * The plan that a row names. A row may name a plan that this release does not know, for example one from a newer
 * release: its limits must not be guessed then.
 *
 * @throws Error with the account id if this release does not know the plan
 */
export function planOf(accountId: string, plan: string): PlanName {
  if (!Object.hasOwn(plans, plan)) {
    throw new Error(`The account ${accountId} has the plan “${plan}”, which this release does not support.`);
  }
  return plan as PlanName;
}

/** The account was deleted while one of its requests was in flight. */
export class AccountDeleted extends Error {
  override readonly name = 'AccountDeleted';

  constructor(accountId: AccountId) {
    super(`The account ${accountId} does not exist.`);
  }
}
