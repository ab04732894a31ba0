import type { AccountId, ApiKeyId } from '@mailproof/shared-types';
import type { ApiKey } from '../keys/api-key.ts';
import type { Billing, BillingStep } from './billing.ts';

/** A key that was just made, readable this once besides its sealed copy. */
export interface MadeKey {
  readonly apiKeyId: ApiKeyId;
  readonly apiKey: ApiKey;
}

export interface AccountBilling {
  readonly accountId: AccountId;
  readonly name: string;
  /** A rate agreed with this account alone. */
  readonly requestsPerSecondAgreed: number | undefined;
  readonly createdAt: Date;
  readonly billing: Billing;
}

/** What a step led to. */
export interface BillingChange {
  readonly before: Billing;
  readonly after: Billing;
  /** The key that was generated because a plan with API access began and the account had none. */
  readonly madeKey: MadeKey | undefined;
}

export interface BillingStore {
  read(accountId: AccountId): Promise<AccountBilling | undefined>;
  /** Accounts in the order of their ids, from after one on. */
  list(after: AccountId | undefined, limit: number): Promise<AccountBilling[]>;
  /**
   * Makes a step of an account that nobody else can change meanwhile. What follows from it commits with it: the opening
   * of its cycle in the ledger, the payment's record, the first API key. Answers nothing for an unknown account; what
   * `decide` throws changes nothing.
   */
  change(
    accountId: AccountId,
    decide: (billing: Billing) => BillingStep,
    options: ChangeOptions,
  ): Promise<BillingChange | undefined>;
  /** Accounts that a renewing worker has to look at. */
  due(now: Date, limit: number): Promise<AccountId[]>;
  /**
   * The same as `change` for an account that is due, and is passed over while another replica works on it or once
   * that one is through. Answers nothing where nothing was done.
   */
  changeDue(
    accountId: AccountId,
    decide: (billing: Billing) => BillingStep | undefined,
    options: ChangeOptions,
  ): Promise<BillingChange | undefined>;
  /** Sends the current cycle's opening to the ledger once more, which counts it once. False without a cycle. */
  reopenCycle(accountId: AccountId): Promise<boolean>;
}

export interface ChangeOptions {
  readonly now: Date;
  readonly graceDays: number;
  /** Who makes the step, as the account's security events tell it; the schedule unless said otherwise. */
  readonly by?: 'operator' | 'owner' | 'schedule';
  /** What the payer calls the payment, such as the number of an invoice. */
  readonly paymentReference?: string | undefined;
}
