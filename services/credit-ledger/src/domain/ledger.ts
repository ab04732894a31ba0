import type { AccountId, CreditGrantId, HoldId, HoldState } from '@mailproof/shared-types';

/** The credits of an account. */
export interface Balance {
  readonly accountId: AccountId;
  /** Credits that can be spent or held. */
  readonly available: number;
  /** Credits reserved by pending holds. */
  readonly held: number;
}

/** Credits given to an account, once. */
export interface CreditGrant {
  readonly grantId: CreditGrantId;
  readonly accountId: AccountId;
  readonly amount: number;
  readonly cause: string;
}

/** What is asked for when work is about to start. */
export interface HoldRequest {
  readonly holdId: HoldId;
  readonly accountId: AccountId;
  /** The run or request that the credits are for; it has one hold, however often it asks. */
  readonly runId: string;
  readonly amount: number;
  readonly cause: string;
  readonly expiresInMs: number;
}

/** Credits reserved for a run (the first phase of a two-phase transfer). */
export interface Hold {
  readonly holdId: HoldId;
  readonly accountId: AccountId;
  readonly runId: string;
  readonly amount: number;
  readonly cause: string;
  readonly state: HoldState;
  /** Credits spent out of it; the rest of a resolved hold went back. */
  readonly settled: number;
  readonly expiresAt: Date;
  /** What the account can spend after the operation that answers this. */
  readonly available: number;
}

export type GrantOutcome =
  | { readonly kind: 'granted'; readonly balance: Balance }
  | { readonly kind: 'idReused' };

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

/**
 * Where credits are kept. Every method is one atomic step: it happens as a whole or not at all, and happens once
 * however often it is asked for.
 */
export interface LedgerStore {
  balanceOf(accountId: AccountId): Promise<Balance>;
  grant(grant: CreditGrant): Promise<GrantOutcome>;
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** Spends `delivered` credits of a pending hold and returns the rest to the account. */
  settle(holdId: HoldId, delivered: number): Promise<ResolveOutcome>;
  /** Returns all credits of a pending hold; an expired or released one answers as it stands. */
  release(holdId: HoldId): Promise<ResolveOutcome>;
  /** Expires one pending hold whose time has run out, or says that there is none. */
  expireOne(): Promise<Hold | undefined>;
}
