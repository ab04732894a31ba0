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

/** How the credits of one run were used. */
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

/** Credits that were granted together, and how they were used. */
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

/** A page of a list: newest first, within a period, below an entry. */
export interface PageRequest {
  readonly accountId: AccountId;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
  /** The last entry of the previous page. */
  readonly below: number | undefined;
  readonly limit: number;
}

/** A statement can be limited to one kind of movement. */
export interface StatementRequest extends PageRequest {
  readonly movements?: Movements | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The last entry of this page; absent on the last page. */
  readonly endedWith?: number;
}

/**
 * Reads the history of accounts. An account's entries get their ids while its row is locked, so the ids follow the
 * order in which the entries took effect, and no entry is ever added below one that was read.
 */
export interface StatementStore {
  entriesOf(request: StatementRequest): Promise<Page<Entry>>;
  receiptsOf(request: PageRequest): Promise<Page<Receipt>>;
  receiptOf(accountId: AccountId, runId: string): Promise<Receipt | undefined>;
  /** Grants with available or held credits, in the order in which they are spent. */
  grantsOf(accountId: AccountId): Promise<GrantInUse[]>;
}

/** UTC days such as `2026-03-01`; both are included. */
export interface UsageDays {
  readonly from: string;
  readonly until: string;
}

/** Credits that one cause spent on one day. */
export interface DayOfUsage {
  readonly day: string;
  readonly cause: string;
  readonly spent: number;
}

/** Reads what an account spent, by day and cause. */
export type ReadUsage = (accountId: AccountId, days: UsageDays) => Promise<DayOfUsage[]>;

const dayMs = 86_400_000;

/** The number of days in a range, both ends included; 0 or negative if it ends before it starts. */
export function daysIn({ from, until }: UsageDays): number {
  return (Date.parse(until) - Date.parse(from)) / dayMs + 1;
}

/** The paginated lists. */
export type ListName = 'entries' | 'receipts';

/** Encodes the position at which a page ended, in an opaque form. */
export function cursorOf(list: ListName, endedWith: number): string {
  return Buffer.from(`${list}:${endedWith}`).toString('base64url');
}

/** Decodes the position at which the previous page ended; returns undefined if the cursor is not from this list. */
export function readCursor(list: ListName, cursor: string): number | undefined {
  const [, name, digits] = /^(\w+):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return name === list && digits !== undefined && cursorOf(list, Number(digits)) === cursor
    ? Number(digits)
    : undefined;
}
