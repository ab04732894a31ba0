import type { AccountId } from '@mailproof/shared-types';

/** An inconsistency in the ledger. It names no person, only the ids of accounts, grants, holds and entries. */
export interface Fault {
  readonly invariant: string;
  readonly accountId: AccountId;
  /** The grant, hold, entry, run or account that shows it. */
  readonly subject: string;
}

/** Entries that an examination covers: those with an id greater than `after`, up to `until`. */
export interface EntryRange {
  readonly after: number;
  readonly until: number;
}

/** The auditor's view of the ledger; it shares no code with the writers (ADR 0024). */
export interface AuditPort {
  /**
   * The newest entry, and the newest for which it is certain that no entry with a smaller id is still being written.
   */
  newestEntries(): Promise<{ readonly newest: number; readonly settled: number }>;
  /** Accounts ordered by id, after the given one. */
  accountsBehind(accountId: string, countMax: number): Promise<readonly AccountId[]>;
  /** Accounts that have entries in the range. */
  accountsWithEntries(range: EntryRange): Promise<readonly AccountId[]>;
  /**
   * Examines accounts in one snapshot. The whole range of entries covers everything; a part of it covers what those
   * entries touched. Returns undefined if that takes too long.
   */
  faultsOf(accountIds: readonly AccountId[], range: EntryRange): Promise<readonly Fault[] | undefined>;
  /** Finds holds that no entry refers to, ordered by id, after the given one. */
  unknownHoldsBehind(
    holdId: string,
    countMax: number,
  ): Promise<{ readonly faults: readonly Fault[]; readonly last: string | undefined }>;
}

/** The findings of an audit. */
export interface AuditReport {
  readonly depth: 'recent' | 'full';
  readonly accounts: number;
  /** The first faults; `faultsTotal` counts all of them. */
  readonly faults: readonly Fault[];
  readonly faultsTotal: number;
  /** Accounts that could not be examined in time; nothing is known about them. */
  readonly unexamined: readonly AccountId[];
  /** The entry from which the next recent audit may start. */
  readonly settledUntil: number;
}

export type AuditScope =
  /** All accounts or the named ones, with their whole history. */
  | { readonly depth: 'full'; readonly accountIds?: readonly AccountId[] }
  /** Changes since an entry that a clean audit has covered. */
  | { readonly depth: 'recent'; readonly after: number };

/** The most accounts examined in one transaction, so that each is short. */
const accountsAtOnce = 100;
/** The range of entry ids that is searched at once. */
const entriesAtOnce = 50_000;
const holdsAtOnce = 20_000;
/** The most faults listed in a report. */
const faultsShownMax = 200;

/** JavaScript cannot represent all whole numbers above this limit; no ledger reaches it. */
const everything: EntryRange = { after: 0, until: Number.MAX_SAFE_INTEGER };

/**
 * Examines the ledger in portions, so that it blocks nothing and uses bounded memory. Each account is read in one
 * snapshot; different accounts may be read at different times, which affects no invariant.
 */
export async function auditLedger(
  port: AuditPort,
  scope: AuditScope,
  signal?: AbortSignal,
): Promise<AuditReport> {
  signal?.throwIfAborted();
  const { newest, settled } = await port.newestEntries();
  const tally = new Tally();
  if (scope.depth === 'recent') {
    for (let after = scope.after; after < newest; after += entriesAtOnce) {
      const range = { after, until: Math.min(newest, after + entriesAtOnce) };
      await examine(port, await port.accountsWithEntries(range), range, tally, signal);
    }
  } else if (scope.accountIds) {
    await examine(port, scope.accountIds, everything, tally, signal);
  } else {
    await examineAll(port, tally, signal);
  }
  return { depth: scope.depth, settledUntil: settled, ...tally.result() };
}

async function examineAll(port: AuditPort, tally: Tally, signal: AbortSignal | undefined): Promise<void> {
  for (let behind = ''; ; ) {
    const accountIds = await port.accountsBehind(behind, accountsAtOnce);
    const last = accountIds.at(-1);
    if (last === undefined) {
      break;
    }
    await examine(port, accountIds, everything, tally, signal);
    behind = last;
  }
  for (let behind: string | undefined = ''; behind !== undefined; ) {
    signal?.throwIfAborted();
    const { faults, last } = await port.unknownHoldsBehind(behind, holdsAtOnce);
    tally.add(faults);
    behind = last;
  }
}

/**
 * Examines accounts together. If that takes too long, splits them in halves, down to a single account that is too
 * large.
 */
async function examine(
  port: AuditPort,
  accountIds: readonly AccountId[],
  range: EntryRange,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let from = 0; from < accountIds.length; from += accountsAtOnce) {
    signal?.throwIfAborted();
    const together = accountIds.slice(from, from + accountsAtOnce);
    const faults = await port.faultsOf(together, range);
    if (faults) {
      tally.add(faults);
      tally.examined(together);
    } else if (together.length === 1) {
      tally.unexamined.push(...together);
    } else {
      const half = Math.ceil(together.length / 2);
      await examine(port, together.slice(0, half), range, tally, signal);
      await examine(port, together.slice(half), range, tally, signal);
    }
  }
}

class Tally {
  readonly unexamined: AccountId[] = [];
  private readonly faults: Fault[] = [];
  private faultsTotal = 0;
  private accounts = 0;

  add(found: readonly Fault[]): void {
    this.faultsTotal += found.length;
    this.faults.push(...found.slice(0, Math.max(0, faultsShownMax - this.faults.length)));
  }

  examined(accountIds: readonly AccountId[]): void {
    this.accounts += accountIds.length;
  }

  result() {
    const { accounts, faults, faultsTotal, unexamined } = this;
    return { accounts, faults, faultsTotal, unexamined };
  }
}

/** Whether an audit examined its whole scope without finding a fault. */
export function isClean({
  faultsTotal,
  unexamined,
}: Pick<AuditReport, 'faultsTotal' | 'unexamined'>): boolean {
  return faultsTotal === 0 && unexamined.length === 0;
}
