import type {
  AccountId,
  AllowanceName,
  CreditGrantId,
  GrantKind,
  HoldId,
  HoldState,
  RefundId,
  RequestId,
} from '@mailproof/shared-types';

/** The credits of an account. */
export interface Balance {
  readonly accountId: AccountId;
  /** Credits that can be spent or held. */
  readonly available: number;
  /** Credits reserved by pending holds. */
  readonly held: number;
}

/** Why credits moved: the operation and, if a customer triggered it, the request. */
export interface Cause {
  readonly cause: string;
  readonly requestId?: RequestId | undefined;
}

/** A grant of credits to an account, made once. */
export interface CreditGrant extends Cause {
  readonly grantId: CreditGrantId;
  readonly accountId: AccountId;
  readonly kind: Extract<GrantKind, 'top_up' | 'adjustment'>;
  readonly amount: number;
  /** When the remaining credits expire; null for never. */
  readonly expiresAt: Date | null;
}

/** The start of a billing cycle, once per account and start time. */
export interface BillingCycle extends Cause {
  readonly accountId: AccountId;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Credits that expire with the cycle; a cycle without credits has no grant. */
  readonly credits: number;
  readonly grantId: CreditGrantId;
  readonly allowances: Readonly<Record<AllowanceName, number>>;
}

/** A refund of credits of a settled run, made once. */
export interface Refund extends Cause {
  readonly refundId: RefundId;
  readonly grantId: CreditGrantId;
  readonly accountId: AccountId;
  readonly runId: string;
  readonly amount: number;
  /** Days for which the refunded credits can be spent. */
  readonly validDays: number;
}

/** A request to reserve credits before work starts. */
export interface HoldRequest extends Cause {
  readonly holdId: HoldId;
  readonly accountId: AccountId;
  /** The run or request that the credits are for; repeated requests share one hold. */
  readonly runId: string;
  readonly amount: number;
  readonly expiresInMs: number;
}

/** Credits reserved for a run (the first phase of a two-phase transfer). */
export interface Hold extends Cause {
  readonly holdId: HoldId;
  readonly accountId: AccountId;
  readonly runId: string;
  readonly amount: number;
  readonly state: HoldState;
  /** Credits spent from the hold; the rest of a resolved hold was returned. */
  readonly settled: number;
  readonly expiresAt: Date;
  /**
   * Remaining lifetime at the time of the response, by the ledger's clock, as callers' clocks may differ. Below 0 after
   * expiry.
   */
  readonly expiresInMs: number;
  /** Credits that the account can spend after the operation. */
  readonly available: number;
}

export type GrantOutcome =
  | { readonly kind: 'granted'; readonly balance: Balance }
  | { readonly kind: 'idReused' };

export type RefundOutcome =
  | GrantOutcome
  /** The account has no settled run with this id. */
  | { readonly kind: 'notFound' }
  /** All refunds of the run together would exceed what it spent. */
  | { readonly kind: 'exceedsSpent' };

export type HoldOutcome =
  | { readonly kind: 'held'; readonly hold: Hold }
  | { readonly kind: 'creditsExhausted'; readonly available: number }
  | { readonly kind: 'idReused' };

export type ResolveOutcome =
  | { readonly kind: 'resolved'; readonly hold: Hold }
  | { readonly kind: 'notFound' }
  /** The hold was already resolved differently, or has expired. */
  | { readonly kind: 'notPending'; readonly state: HoldState }
  /** `delivered` exceeds the hold's amount, or an earlier settlement named another number. */
  | { readonly kind: 'idReused' };

/** Credits of one account that expired together. */
export interface ExpiredCredits {
  readonly accountId: AccountId;
  readonly credits: number;
}

/**
 * Stores credits. Every method is atomic and idempotent. Expired credits are never counted as available, even before a
 * sweep.
 */
export interface LedgerStore {
  balanceOf(accountId: AccountId): Promise<Balance>;
  grant(grant: CreditGrant): Promise<GrantOutcome>;
  openCycle(cycle: BillingCycle): Promise<GrantOutcome>;
  refund(refund: Refund): Promise<RefundOutcome>;
  /** Reserves credits, earliest expiry first. */
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** Extends a pending hold; never shortens it. */
  renew(holdId: HoldId, expiresInMs: number): Promise<ResolveOutcome>;
  /** Spends `delivered` credits of a pending hold and returns the rest to their grants. */
  settle(holdId: HoldId, delivered: number): Promise<ResolveOutcome>;
  /** Returns all credits of a pending hold; an expired or released one is returned unchanged. */
  release(holdId: HoldId): Promise<ResolveOutcome>;
  /** Expires one overdue pending hold, of this account or any; returns undefined if there is none. */
  expireOne(accountId?: AccountId): Promise<Hold | undefined>;
  /** Expires the due credits of this account or any; returns undefined if there are none. */
  expireCredits(accountId?: AccountId): Promise<ExpiredCredits | undefined>;
}
