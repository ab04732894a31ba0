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

/** What made credits move: an operation and, where a customer asked for it, the request. */
export interface Cause {
  readonly cause: string;
  readonly requestId?: RequestId | undefined;
}

/** Credits given to an account, once. */
export interface CreditGrant extends Cause {
  readonly grantId: CreditGrantId;
  readonly accountId: AccountId;
  readonly kind: Extract<GrantKind, 'top_up' | 'adjustment'>;
  readonly amount: number;
  /** When what is left of them expires; null for never. */
  readonly expiresAt: Date | null;
}

/** The beginning of a billing cycle, once per account and start. */
export interface BillingCycle extends Cause {
  readonly accountId: AccountId;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Credits that expire with the cycle; a cycle without any has no grant. */
  readonly credits: number;
  readonly grantId: CreditGrantId;
  readonly allowances: Readonly<Record<AllowanceName, number>>;
}

/** Credits of a settled run that are given back, once. */
export interface Refund extends Cause {
  readonly refundId: RefundId;
  readonly grantId: CreditGrantId;
  readonly accountId: AccountId;
  readonly runId: string;
  readonly amount: number;
  /** Days for which they can be spent. */
  readonly validDays: number;
}

/** What is asked for when work is about to start. */
export interface HoldRequest extends Cause {
  readonly holdId: HoldId;
  readonly accountId: AccountId;
  /** The run or request that the credits are for; it has one hold, however often it asks. */
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
  /** Credits spent out of it; the rest of a resolved hold went back. */
  readonly settled: number;
  readonly expiresAt: Date;
  /** From the moment of the answer, by the ledger's clock: for callers whose clock is another; below 0 when it is over. */
  readonly expiresInMs: number;
  /** What the account can spend after the operation that answers this. */
  readonly available: number;
}

export type GrantOutcome =
  | { readonly kind: 'granted'; readonly balance: Balance }
  | { readonly kind: 'idReused' };

export type RefundOutcome =
  | GrantOutcome
  /** The account has no settled run of this id. */
  | { readonly kind: 'notFound' }
  /** All refunds of the run together would be more than it spent. */
  | { readonly kind: 'exceedsSpent' };

export type HoldOutcome =
  | { readonly kind: 'held'; readonly hold: Hold }
  | { readonly kind: 'creditsExhausted'; readonly available: number }
  | { readonly kind: 'idReused' };

export type ResolveOutcome =
  | { readonly kind: 'resolved'; readonly hold: Hold }
  | { readonly kind: 'notFound' }
  /** It was resolved otherwise before, or its time has run out. */
  | { readonly kind: 'notPending'; readonly state: HoldState }
  /** More than the hold's amount was delivered, or the settlement before named another number. */
  | { readonly kind: 'idReused' };

/** What expired in one account at once. */
export interface ExpiredCredits {
  readonly accountId: AccountId;
  readonly credits: number;
}

/**
 * Where credits are kept. Every method is one atomic step: it happens as a whole or not at all, and happens once
 * however often it is asked for. Credits whose time is over are never counted as available, whether or not a sweep has
 * come by.
 */
export interface LedgerStore {
  balanceOf(accountId: AccountId): Promise<Balance>;
  grant(grant: CreditGrant): Promise<GrantOutcome>;
  openCycle(cycle: BillingCycle): Promise<GrantOutcome>;
  refund(refund: Refund): Promise<RefundOutcome>;
  /** Reserves credits, those that expire first before the others. */
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** Gives a pending hold more time, never less than it has. */
  renew(holdId: HoldId, expiresInMs: number): Promise<ResolveOutcome>;
  /** Spends `delivered` credits of a pending hold and returns the rest to the grants that they came from. */
  settle(holdId: HoldId, delivered: number): Promise<ResolveOutcome>;
  /** Returns all credits of a pending hold; an expired or released one answers as it stands. */
  release(holdId: HoldId): Promise<ResolveOutcome>;
  /** Expires one pending hold whose time has run out, of this account or of any, or says that there is none. */
  expireOne(accountId?: AccountId): Promise<Hold | undefined>;
  /** Expires the available credits of this account or of any one whose time is over, or says that there are none. */
  expireCredits(accountId?: AccountId): Promise<ExpiredCredits | undefined>;
}
