import type { AccountId } from '@mailproof/shared-types';

/** A place where what is kept contradicts itself. It names no person: accounts, grants, holds and entries by their ids. */
export interface Fault {
  readonly invariant: string;
  readonly accountId: AccountId;
  /** The grant, hold, entry, run or account that shows it. */
  readonly subject: string;
}

/** Entries that an examination looks at: those with a greater id than `after`, up to `until`. */
export interface EntryRange {
  readonly after: number;
  readonly until: number;
}

/** What the auditor reads; it shares no code with what writes (ADR 0024). */
export interface AuditPort {
  /** The newest entry; and the newest of which it is certain that none with a smaller id is still being written. */
  newestEntries(): Promise<{ readonly newest: number; readonly settled: number }>;
  /** Accounts in the order of their ids, behind the given one. */
  accountsBehind(accountId: string, countMax: number): Promise<readonly AccountId[]>;
  /** Accounts that have entries in the range. */
  accountsWithEntries(range: EntryRange): Promise<readonly AccountId[]>;
  /**
   * Examines accounts as they are at one moment. With the whole range of entries everything is looked at, with a part of
   * it what these entries have touched. Answers nothing when it would have taken too long.
   */
  faultsOf(accountIds: readonly AccountId[], range: EntryRange): Promise<readonly Fault[] | undefined>;
  /** Looks at holds, in the order of their ids, for those that no entry knows. */
  unknownHoldsBehind(
    holdId: string,
    countMax: number,
  ): Promise<{ readonly faults: readonly Fault[]; readonly last: string | undefined }>;
}

/** What an audit found out. */
export interface AuditReport {
  readonly depth: 'recent' | 'full';
  readonly accounts: number;
  /** The first faults; `faultsTotal` counts all that were seen. */
  readonly faults: readonly Fault[];
  readonly faultsTotal: number;
  /** Accounts that could not be examined in time, so that nothing is known of them. */
  readonly unexamined: readonly AccountId[];
  /** Where the next recent audit may begin. */
  readonly settledUntil: number;
}

export type AuditScope =
  /** Every account, or those that are named, with all that they ever had. */
  | { readonly depth: 'full'; readonly accountIds?: readonly AccountId[] }
  /** What has moved since an entry that a clean audit has seen. */
  | { readonly depth: 'recent'; readonly after: number };

/** Accounts that are examined in one transaction, so that each is short. */
const accountsAtOnce = 100;
/** Ids of entries that are looked through at once. */
const entriesAtOnce = 50_000;
const holdsAtOnce = 20_000;
/** Faults that a report names. */
const faultsShownMax = 200;

/** Nothing in JavaScript tells whole numbers above it apart; no ledger gets there. */
const everything: EntryRange = { after: 0, until: Number.MAX_SAFE_INTEGER };

/**
 * Examines the ledger, portion by portion, so that it neither holds anything up nor grows in memory. Each account is seen
 * at one moment; different accounts may be seen at different ones, which no invariant minds.
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

/** Examines accounts together, and in halves where that takes too long, down to one that is too large by itself. */
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

/** Whether an audit has shown that everything that it was to look at is right. */
export function isClean({
  faultsTotal,
  unexamined,
}: Pick<AuditReport, 'faultsTotal' | 'unexamined'>): boolean {
  return faultsTotal === 0 && unexamined.length === 0;
}
