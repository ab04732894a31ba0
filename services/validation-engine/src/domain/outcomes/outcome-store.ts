import type { AccountId, EmailAddress, OutcomeKind, OutcomeReportId } from '@mailproof/shared-types';
import type { PatternClass } from './pattern-class.ts';

/** An outcome, judged and ready to be kept. */
export interface Outcome {
  readonly email: EmailAddress;
  readonly kind: OutcomeKind;
  readonly patternClass: PatternClass;
  readonly observedAtMs: number;
}

/** One thing that became of mail to an address. */
export interface PastOutcome {
  readonly accountId: AccountId;
  readonly kind: OutcomeKind;
  readonly ageDays: number;
}

/** How mail to addresses of one shape fared at a domain, by what one account last saw of each. */
export interface PatternTally {
  readonly accountId: AccountId;
  readonly patternClass: PatternClass;
  /** Addresses that are known to exist. */
  readonly good: number;
  /** Addresses that are known to be missing or disabled. */
  readonly bad: number;
}

/** What is known from outcomes. Both answers are bounded; the latest outcomes count. */
export interface OutcomeHistory {
  ofAddress(email: EmailAddress): Promise<readonly PastOutcome[]>;
  /** Tallies the domain of an address, the address itself left out. */
  ofDomain(email: EmailAddress): Promise<readonly PatternTally[]>;
}

/** What an address is called where its name must not be: its keyed hash. */
export type AddressKey = string;

export interface OutcomeStore extends OutcomeHistory {
  /** Keeps outcomes, together with the job that follows from them, and tells how many are new. */
  record(accountId: AccountId, outcomes: readonly Outcome[]): Promise<number>;
  /** Whether the account has reported outcomes at the domain of an address. */
  hasReported(accountId: AccountId, email: EmailAddress): Promise<boolean>;
  /** The addresses of a report. */
  addressesIn(reportId: OutcomeReportId): Promise<readonly AddressKey[]>;
  /** Deletes what is older than the retention, at most so many rows, and tells how many they were. */
  purge(retentionDays: number, rowsMax: number): Promise<number>;
}

/** For an engine without a database, such as the command line: nothing is known. */
export const noOutcomes: OutcomeHistory = {
  ofAddress: async () => [],
  ofDomain: async () => [],
};
