import type { AccountId, EmailAddress, OutcomeKind, OutcomeReportId } from '@mailproof/shared-types';
import type { Deadline } from '../concurrency/deadline.ts';
import type { PatternClass } from './pattern-class.ts';

/** An outcome, judged and ready to be stored. */
export interface Outcome {
  readonly email: EmailAddress;
  readonly kind: OutcomeKind;
  readonly patternClass: PatternClass;
  readonly observedAtMs: number;
}

/** A past outcome of mail to an address. */
export interface PastOutcome {
  readonly accountId: AccountId;
  readonly kind: OutcomeKind;
  readonly ageDays: number;
}

/** The outcomes of mail to addresses of one pattern at a domain, by the last outcome of each address at one account. */
export interface PatternTally {
  readonly accountId: AccountId;
  readonly patternClass: PatternClass;
  /** Addresses that are known to exist. */
  readonly good: number;
  /** Addresses that are known to be missing or disabled. */
  readonly bad: number;
}

/**
 * The recorded outcomes that count for an account: its own, and those of other accounts that have paid (ADR 0017). Both
 * results are limited in size; the latest outcomes count.
 */
export interface OutcomeHistory {
  ofAddress(email: EmailAddress, accountId: AccountId | undefined): Promise<readonly PastOutcome[]>;
  /** Tallies the domain of an address, excluding the address itself. */
  ofDomain(email: EmailAddress, accountId: AccountId | undefined): Promise<readonly PatternTally[]>;
}

/** An account that reports outcomes. */
export interface Reporter {
  readonly accountId: AccountId;
  /** True if the operator knows of a payment: only then do its outcomes count for other accounts. */
  readonly hasPaid: boolean;
}

/** The keyed hash of an address, used where the address must not appear. */
export type AddressKey = string;

export interface OutcomeStore extends OutcomeHistory {
  /** Stores outcomes, together with the resulting job, and returns how many are new. */
  record(reporter: Reporter, outcomes: readonly Outcome[]): Promise<number>;
  /** Whether the account has reported outcomes at the domain of an address. */
  hasReported(accountId: AccountId, email: EmailAddress): Promise<boolean>;
  /** The addresses of a report. */
  addressesIn(reportId: OutcomeReportId): Promise<readonly AddressKey[]>;
  /** Deletes outcomes older than the retention period, at most `rowsMax`, and returns how many it deleted. */
  purge(retentionDays: number, rowsMax: number): Promise<number>;
}

/** For an engine without a database, such as the command line: there are no outcomes. */
export const noOutcomes: OutcomeHistory = {
  ofAddress: async () => [],
  ofDomain: async () => [],
};

/**
 * Waits for a store no longer than for any other source.
 *
 * @throws Error if the deadline passes first
 */
export async function lookUp<Found>(found: Promise<Found>, deadline: Deadline): Promise<Found> {
  let stop = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error('The store did not answer in time.'));
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    stop = () => {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', giveUp);
    };
  });
  try {
    return await Promise.race([found, over]);
  } finally {
    stop();
  }
}
