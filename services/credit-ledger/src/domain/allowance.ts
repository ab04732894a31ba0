import type { AccountId, AllowanceName, AllowanceUseId } from '@mailproof/shared-types';
import type { Cause } from './ledger.ts';

/** How much of an allowance the current billing cycle has left. */
export interface Allowance {
  readonly allowance: AllowanceName;
  readonly limit: number;
  readonly used: number;
  readonly cycleStartsAt: Date;
  readonly cycleEndsAt: Date;
}

/** One use of what a billing cycle allows free of charge. */
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
 * Where uses of allowances are counted, each once by its id. The cycle that counts is the newest of those that contain
 * this moment.
 */
export interface AllowanceStore {
  take(use: AllowanceUse): Promise<TakeOutcome>;
  /** Gives one back to the cycle that it was taken from. */
  giveBack(useId: AllowanceUseId): Promise<ReturnOutcome>;
  allowancesOf(accountId: AccountId): Promise<Allowance[]>;
}
