import type { AccountId, ApiKeyId } from '@mailproof/shared-types';
import type { ApiKey } from '../keys/api-key.ts';
import type { Billing, BillingStep } from './billing.ts';

/** A new key; it can be read only here and from its sealed copy. */
export interface MadeKey {
  readonly apiKeyId: ApiKeyId;
  readonly apiKey: ApiKey;
}

/** Begins the reference of a payment from a provider's invoice; the rest is the invoice's id. */
export const invoiceReferencePrefix = 'stripe:';

export interface AccountBilling {
  readonly accountId: AccountId;
  readonly name: string;
  /** A rate agreed with this account. */
  readonly requestsPerSecondAgreed: number | undefined;
  readonly createdAt: Date;
  /** Whether the account has a customer at the payment provider. */
  readonly hasOrderedOnline: boolean;
  readonly billing: Billing;
}

/** The result of a step. */
export interface BillingChange {
  readonly before: Billing;
  readonly after: Billing;
  /** The key generated when a plan with API access started and the account had none. */
  readonly madeKey: MadeKey | undefined;
}

/** Whether the operator knows of a payment of the account: a recorded one, or a plan that an operator gave it. */
export type HasPaid = (accountId: AccountId) => Promise<boolean>;

export interface BillingStore {
  read(accountId: AccountId): Promise<AccountBilling | undefined>;
  /** Accounts ordered by id, starting after the given one. */
  list(after: AccountId | undefined, limit: number): Promise<AccountBilling[]>;
  /**
   * Applies a step to an account under its lock. The consequences commit with the step: the request to open its cycle
   * in the ledger, the payment record, the first API key. Returns undefined for an unknown account; if `decide` throws,
   * nothing changes. Throws the fault `already_recorded` if the invoice of the payment is recorded.
   */
  change(
    accountId: AccountId,
    decide: (billing: Billing) => BillingStep,
    options: ChangeOptions,
  ): Promise<BillingChange | undefined>;
  /** Accounts that the renewal worker must check. */
  due(now: Date, limit: number): Promise<AccountId[]>;
  /**
   * Like `change`, for a due account. Skips it if another replica is working on it or has finished it. Returns
   * undefined if nothing was done.
   */
  changeDue(
    accountId: AccountId,
    decide: (billing: Billing) => BillingStep | undefined,
    options: ChangeOptions,
  ): Promise<BillingChange | undefined>;
  /** Those of the references that are recorded payments. */
  recordedReferences(references: readonly string[]): Promise<ReadonlySet<string>>;
  /** The references of the payments from invoices that were recorded since a time. */
  recordedSince(since: Date): Promise<string[]>;
  /** Asks the ledger again to open the current cycle, which it does only once. Returns false if there is no cycle. */
  reopenCycle(accountId: AccountId): Promise<boolean>;
}

export interface ChangeOptions {
  readonly now: Date;
  readonly graceDays: number;
  /** Who makes the step, for the account's security events; defaults to the schedule. */
  readonly by?: 'operator' | 'owner' | 'payment' | 'schedule';
  /** The payer's reference for the payment, such as an invoice number; those of invoices are recorded once. */
  readonly paymentReference?: string | undefined;
}
