import type {
  AccountId,
  CreditGrantId,
  EntryKind,
  GrantKind,
  HoldId,
  HoldState,
  Movements,
  RefundId,
  RequestId,
} from '@mailproof/shared-types';

/** One movement of credits. */
export interface Entry {
  readonly entryId: number;
  readonly kind: EntryKind;
  readonly cause: string;
  readonly runId: string | null;
  readonly requestId: RequestId | null;
  readonly grantId: CreditGrantId | null;
  readonly holdId: HoldId | null;
  readonly refundId: RefundId | null;
  readonly availableChange: number;
  readonly heldChange: number;
  readonly availableAfter: number;
  readonly heldAfter: number;
  readonly at: Date;
}

/** What became of the credits of one run. */
export interface Receipt {
  readonly runId: string;
  readonly holdId: HoldId;
  readonly cause: string;
  readonly requestId: RequestId | null;
  readonly state: HoldState;
  readonly reserved: number;
  readonly spent: number;
  readonly returned: number;
  readonly refunded: number;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

/** Credits that were granted together, and what became of them. */
export interface GrantInUse {
  readonly grantId: CreditGrantId;
  readonly kind: GrantKind;
  readonly amount: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly expired: number;
  readonly cause: string;
  readonly grantedAt: Date;
  readonly expiresAt: Date | null;
}

/** Which part of a list is asked for: newest first, of a period, below an entry. */
export interface PageRequest {
  readonly accountId: AccountId;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
  /** The entry that the page before ended with. */
  readonly below: number | undefined;
  readonly limit: number;
}

/** Of a statement, the half that is asked for can be said. */
export interface StatementRequest extends PageRequest {
  readonly movements?: Movements | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The entry that this page ended with; absent on the last page. */
  readonly endedWith?: number;
}

/**
 * What can be read of the past. An account's entries get their ids while its row is locked, so the ids are in the order
 * in which the entries took effect, and nothing is ever added below an entry that was read.
 */
export interface StatementStore {
  entriesOf(request: StatementRequest): Promise<Page<Entry>>;
  receiptsOf(request: PageRequest): Promise<Page<Receipt>>;
  receiptOf(accountId: AccountId, runId: string): Promise<Receipt | undefined>;
  /** Grants with credits that are available or held, in the order in which they are spent. */
  grantsOf(accountId: AccountId): Promise<GrantInUse[]>;
}
