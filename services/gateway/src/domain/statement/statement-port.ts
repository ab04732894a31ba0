import type {
  AccountId,
  getAllowances,
  ledgerEntry,
  listGrants,
  Movements,
  OperationResult,
  receipt,
} from '@mailproof/shared-types';
import type { z } from 'zod';

/** An entry, with a name in place of its number in the ledger. */
export type LedgerEntry = Omit<z.output<typeof ledgerEntry>, 'entryId'> & { readonly entryId: string };
export type Receipt = z.output<typeof receipt>;
export type Grant = OperationResult<typeof listGrants>['grants'][number];
export type Allowance = OperationResult<typeof getAllowances>['allowances'][number];

/** Which part of a list, newest first; moments in ISO 8601. */
export interface PageRequest {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Of a statement, the half that is asked for can be said. */
export interface StatementRequest extends PageRequest {
  readonly movements?: Movements | undefined;
}

/** Credits that one operation spent on one day (UTC). */
export interface DayOfUsage {
  readonly day: string;
  readonly cause: string;
  readonly spent: number;
}

/** What the ledger tells of an account's credits, to be looked at; nothing moves by it, and nothing is cached. */
export interface StatementPort {
  balance(accountId: AccountId): Promise<{ readonly available: number; readonly held: number }>;
  /** Grants with credits that are left, in the order in which they are spent. */
  grants(accountId: AccountId): Promise<readonly Grant[]>;
  allowances(accountId: AccountId): Promise<readonly Allowance[]>;
  /** Throws `invalid_cursor`. */
  entries(
    accountId: AccountId,
    page: StatementRequest,
  ): Promise<{ readonly entries: readonly LedgerEntry[]; readonly nextCursor?: string | undefined }>;
  /** Throws `invalid_cursor`. */
  receipts(
    accountId: AccountId,
    page: PageRequest,
  ): Promise<{ readonly receipts: readonly Receipt[]; readonly nextCursor?: string | undefined }>;
  /** Throws `receipt_not_found`, also for the run of another account. */
  receipt(accountId: AccountId, runId: string): Promise<Receipt>;
  /** Both days count. */
  usage(
    accountId: AccountId,
    days: { readonly from: string; readonly until: string },
  ): Promise<readonly DayOfUsage[]>;
}
