import type { AccountId, AllowanceName, AllowanceUseId } from '@mailproof/shared-types';
import type { Cause } from './ledger.ts';

/** An allowance of the current billing cycle, and how much of it is used. */
export interface Allowance {
  readonly allowance: AllowanceName;
  readonly limit: number;
  readonly used: number;
  readonly cycleStartsAt: Date;
  readonly cycleEndsAt: Date;
}

/** One use of a free allowance of a billing cycle. */
export interface AllowanceUse extends Cause {
  readonly useId: AllowanceUseId;
  readonly accountId: AccountId;
  readonly allowance: AllowanceName;
}

export type TakeOutcome =
  | { readonly kind: 'answered'; readonly taken: boolean; readonly remaining: number }
  | { readonly kind: 'idReused' };

export type ReturnOutcome =
  | { readonly kind: 'answered'; readonly remaining: number }
  | { readonly kind: 'notFound' };

/**
 * Counts uses of allowances, each once by its id. They count against the newest cycle that contains the current time.
 */
export interface AllowanceStore {
  take(use: AllowanceUse): Promise<TakeOutcome>;
  /** Returns a use to the cycle that it was taken from. */
  returnUse(useId: AllowanceUseId): Promise<ReturnOutcome>;
  allowancesOf(accountId: AccountId): Promise<Allowance[]>;
}
