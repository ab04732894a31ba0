import { type AccountId, type ApiKeyId, type PlanName, plans } from '@mailproof/shared-types';
import type { MadeKey } from '../billing/billing-store.ts';
import type { ApiKey } from '../keys/api-key.ts';

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
  /** The key is the account's, and works again once the account has a plan with API access. */
  | { readonly kind: 'planWithoutApiAccess' }
  | { readonly kind: 'unknown' };

/** Finds the account that a key belongs to; never from a cache. */
export type LookUpKey = (key: ApiKey) => Promise<KeyLookup>;

export interface NewAccount {
  readonly name: string;
  readonly plan: PlanName;
  /** A rate above the plan's, where one was agreed. */
  readonly requestsPerSecond?: number | undefined;
  /** Credits granted at the start; none when 0. */
  readonly credits: number;
  /** When its plan begins; now, unless a test or the operator says otherwise. */
  readonly startsAt?: Date | undefined;
}

/** An account that was just made, with its first key where its plan comes with one. */
export interface CreatedAccount extends Partial<MadeKey> {
  readonly accountId: AccountId;
}

/** What credits beside those of a plan are; an adjustment that never expires unless said otherwise. */
export interface GrantTerms {
  readonly kind: 'top_up' | 'adjustment';
  /** When what is left of them expires; absent for never. */
  readonly expiresAt?: Date;
}

/** Where accounts and their keys are kept. */
export interface AccountStore {
  create(account: NewAccount): Promise<CreatedAccount>;
  /** Makes a key invalid from the next request on. False when there is no such active key. */
  revokeKey(apiKeyId: ApiKeyId): Promise<boolean>;
  /** Asks for credits to be granted; the grant follows through the outbox. False for an unknown account. */
  requestGrant(accountId: AccountId, credits: number, terms?: GrantTerms): Promise<boolean>;
  /** How many grants and cycles of the account are still on their way to the ledger. */
  pendingGrants(accountId: AccountId): Promise<number>;
}

/** The rate that applies to an account. */
export function rateOf(plan: PlanName, agreed: number | null): number {
  return agreed ?? plans[plan].requestsPerSecond;
}

/**
 * The plan that a row names. A row may name one that this release does not know, for example that of a newer release:
 * then nothing may be assumed of what it allows.
 *
 * @throws Error that names the account
 */
export function planOf(accountId: string, plan: string): PlanName {
  if (!Object.hasOwn(plans, plan)) {
    throw new Error(`The account ${accountId} has the plan “${plan}”, which this release does not know.`);
  }
  return plan as PlanName;
}

/** The account was deleted while a request of it was under way. */
export class AccountGone extends Error {
  override readonly name = 'AccountGone';

  constructor(accountId: AccountId) {
    super(`The account ${accountId} is gone.`);
  }
}
