import type {
  AccountId,
  AllowanceName,
  CreditGrantId,
  HoldId,
  HoldState,
  RequestId,
} from '@mailproof/shared-types';

/** The run that credits are reserved for. */
export interface RunToCharge {
  readonly accountId: AccountId;
  /** The id of the first request; the same for every attempt to answer it. */
  readonly runId: RequestId;
  /** The operation that credits move for. */
  readonly cause: string;
  readonly amount: number;
}

/** Credits reserved for one run. */
export interface ReservedCredits {
  readonly holdId: HoldId;
  /** `pending`, unless the run's hold was already resolved. */
  readonly state: HoldState;
  /** Its remaining lifetime; below 0 after it has expired. */
  readonly expiresInMs: number;
  /** Credits that the account can spend in addition to these. */
  readonly available: number;
}

/** The credit ledger as the gateway uses it. Every method is safe to repeat with the same arguments. */
export interface CreditPort {
  /** Credits that the account can spend now; never cached. */
  available(accountId: AccountId): Promise<number>;
  grant(request: {
    grantId: CreditGrantId;
    accountId: AccountId;
    amount: number;
    cause: string;
    /** Defaults to an adjustment. */
    kind?: 'top_up' | undefined;
    /** ISO 8601; absent for never. */
    expiresAt?: string | undefined;
  }): Promise<void>;
  /** Reserves credits or throws `credits_exhausted`. Repeated calls with one `holdRunId` share one hold. */
  reserve(run: RunToCharge & { readonly holdRunId: string }): Promise<ReservedCredits>;
  /**
   * Charges `delivered` credits. Returns the credits that the account can spend now, or `undefined` if the hold was
   * released or had expired.
   */
  settle(holdId: HoldId, delivered: number): Promise<number | undefined>;
  /** Releases the credits of a hold; returns the credits that the account can spend now. */
  release(holdId: HoldId): Promise<number>;
}

/** The credit ledger as billing uses it. */
export interface CyclePort {
  /** Opens a billing cycle, once per account and start: grants its credits and makes its allowances current. */
  openCycle(request: {
    accountId: AccountId;
    startsAt: string;
    endsAt: string;
    credits: number;
    allowances: Readonly<Record<AllowanceName, number>>;
    cause: string;
  }): Promise<void>;
}
