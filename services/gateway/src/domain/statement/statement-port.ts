import type {
  AccountId,
  getAllowances,
  ledgerEntry,
  listGrants,
  Movements,
  OperationResult,
  receipt,
  sumUsage,
} from '@mailproof/shared-types';
import type { z } from 'zod';

/** A ledger entry, with its number replaced by a name. */
export type LedgerEntry = Omit<z.output<typeof ledgerEntry>, 'entryId'> & { readonly entryId: string };
export type Receipt = z.output<typeof receipt>;
export type Grant = OperationResult<typeof listGrants>['grants'][number];
export type Allowance = OperationResult<typeof getAllowances>['allowances'][number];

/** A page of a list, newest first; times in ISO 8601. */
export interface PageRequest {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A statement can be limited to one kind of movement. */
export interface StatementRequest extends PageRequest {
  readonly movements?: Movements | undefined;
}

/** Credits that one operation spent on one day (UTC). */
export type DayOfUsage = OperationResult<typeof sumUsage>['days'][number];

/** Reads an account's credits from the ledger; changes and caches nothing. */
export interface StatementPort {
  balance(accountId: AccountId): Promise<{ readonly available: number; readonly held: number }>;
  /** Grants with remaining credits, in the order in which they are spent. */
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
  /** Throws `receipt_not_found`, even for the run of another account. */
  receipt(accountId: AccountId, runId: string): Promise<Receipt>;
  /** Both days are included. */
  usage(
    accountId: AccountId,
    days: { readonly from: string; readonly until: string },
  ): Promise<readonly DayOfUsage[]>;
}
