import type { AccountId, AllowanceName, CreditGrantId, HoldId, HoldState } from '@mailproof/shared-types';
import type { RunToCharge } from './charge.ts';

/** Credits reserved for one run. */
export interface ReservedCredits {
  readonly holdId: HoldId;
  /** `pending`, unless the run had a hold that was resolved before. */
  readonly state: HoldState;
  /** How long it stands from now on; below 0 when it is over. */
  readonly expiresInMs: number;
  /** What the account can spend besides. */
  readonly available: number;
}

/** The credit ledger, as far as the gateway needs it. Every method may be called again with the same arguments. */
export interface CreditPort {
  /** Credits that the account can spend now; never cached. */
  available(accountId: AccountId): Promise<number>;
  grant(request: {
    grantId: CreditGrantId;
    accountId: AccountId;
    amount: number;
    cause: string;
    /** An adjustment unless said otherwise. */
    kind?: 'top_up' | undefined;
    /** ISO 8601; absent for never. */
    expiresAt?: string | undefined;
  }): Promise<void>;
  /** Reserves credits or throws `credits_exhausted`. There is one hold by each `holdRunId`, however often it asks. */
  reserve(run: RunToCharge & { readonly holdRunId: string }): Promise<ReservedCredits>;
  /** Charges `delivered` credits; answers what the account can spend now, or `undefined` when the hold was released or had expired. */
  settle(holdId: HoldId, delivered: number): Promise<number | undefined>;
  /** Gives the credits of a hold back; answers what the account can spend now. */
  release(holdId: HoldId): Promise<number>;
}

/** The credit ledger, as far as billing needs it. */
export interface CyclePort {
  /** Opens a billing cycle, once per account and start: grants its credits and makes its allowances the current ones. */
  openCycle(request: {
    accountId: AccountId;
    startsAt: string;
    endsAt: string;
    credits: number;
    allowances: Readonly<Record<AllowanceName, number>>;
    cause: string;
  }): Promise<void>;
}
